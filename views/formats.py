"""How values are written for people: tables, budgets, moments, shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.markup import escape
from rich.table import Table

from sigmaclient.words import amount, moment, percent
from sigmacount.mechanisms import Amount, micro_epsilon_of
from streams.audit.questions import UNASKED_DAYS, KeptQuestions

__all__ = [
    "MARKS",
    "amount",
    "cell",
    "harmless",
    "moment",
    "percent",
    "price",
    "promised",
    "table",
]

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run what follows
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


def price(of: Amount) -> str:
    """An amount for people, in its measure: ``0.25 ε``."""
    return amount(of.measure, of.units)


def promised(of: Amount, delta: float) -> str:
    """What an amount of ρ promises, for people: ``1 ε at δ = 1e-09``."""
    return f"{price(Amount.pure(micro_epsilon_of(of.units, delta)))} at δ = {delta:g}"


def harmless(value: object) -> object:
    """A value of a CSV file; text that begins like a formula gets a leading ``'``."""
    risky = isinstance(value, str) and value.startswith(FORMULA)
    return f"'{value}" if risky else value


def questions(kept: KeptQuestions | None) -> str | None:
    """Of fresh questions that are counted over time; None: none ever was."""
    if kept is None or not (kept.counters or kept.forgotten):
        return None
    said = f"fresh questions that are told again for nothing: {kept.counters:,}"
    if kept.unasked_days is not None:
        said += (
            f", one of them unasked for {kept.unasked_days:,} days (each is forgotten"
            f" after {UNASKED_DAYS})"
        )
    if kept.forgotten:
        said += f"; {kept.forgotten:,} were forgotten, and would be charged anew"
    return said
