"""The terminal: a console for people, JSON lines for programs, and no log."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable

from rich.console import Console

WIDE = 200  # columns when the output is a file or a pipe: lines are not broken
LOGGERS = ("aiokafka", "kafka", "asyncio", "redis", "sigma", "sqlglot")


def console(*, stderr: bool = False) -> Console:
    """A console that colours for a terminal and keeps lines whole for a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return Console(stderr=stderr, width=width, highlight=False)


def hush() -> None:
    """Nobody logs: what goes wrong comes back as an error, and is shown as one line."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def print_json(value: object) -> None:
    """One JSON object on one line of standard output."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def print_last_words(out: Console, tails: Iterable[tuple[str, str]]) -> None:
    """The last lines of logs that end with this process, each under its name."""
    for name, lines in tails:
        out.print(f"[bold]{name}")
        out.print(lines, markup=False)
