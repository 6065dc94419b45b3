"""How the command line speaks: tables for people, JSON for programs."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

WIDE = 200  # columns when the output is a file or a pipe: lines are not broken
LOGGERS = ("aiokafka", "kafka", "asyncio", "redis", "sigma")
MARKS = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}


def console(*, stderr: bool = False) -> Console:
    """A console that colours for a terminal and keeps lines whole for a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return Console(stderr=stderr, width=width, highlight=False)


def hush() -> None:
    """Nobody logs: what goes wrong comes back as an error, and is told as one line."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def as_json(value: object) -> None:
    """One JSON object on one line of standard output."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A plain table; numbers to the right, text as it is."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    held = [tuple(row) for row in rows]
    for i, head in enumerate(heads):
        numeric = all(isinstance(row[i], int | float) for row in held)
        made.add_column(head, justify="right" if numeric and held else "left")
    for row in held:
        made.add_row(*(escape(cell(value)) for value in row))
    return made


def cell(value: object) -> str:
    """A value in a table: thousands apart, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def in_epsilon(micro_epsilon: int) -> str:
    """A budget for people: ``0.25 ε``."""
    exact = Decimal(micro_epsilon).scaleb(-6)
    return f"{exact:,.6f}".rstrip("0").rstrip(".") + " ε"


def moment(ms: int | None) -> str:
    """Milliseconds since 1970 as ``2026-01-31 12:00:05 UTC``."""
    if ms is None:
        return "unknown"
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def percent(share: float | None) -> str:
    """0.95 as ``95 %``."""
    return "" if share is None else f"{100 * share:g} %"
