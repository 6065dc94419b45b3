"""How values are written for people: tables, budgets, moments, shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from rich.markup import escape
from rich.table import Table

MARKS = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}


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
