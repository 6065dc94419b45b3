"""An answer as a person reads it, and as a program does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.markup import escape
from rich.table import Table

from sigmaclient.answer import Answer
from sigmaclient.words import ROUTES, promises
from views import formats
from views.asking import tables

HEADS = ("client", "name", "status", "count", "interval", "route", "epoch", "reason")


def as_dict(answer: Answer) -> dict[str, Any]:
    """The answer as it travels on ``results``, absent fields left out."""
    plain = {name: getattr(answer, name) for name in answer.__slots__}
    code, message = plain.pop("error_code"), plain.pop("error_message")
    if code is not None:
        plain["error"] = {"code": code, "message": message}
    if answer.table is not None:
        plain["table"] = answer.table.as_dict()
    if answer.quote is not None:
        quoted = asdict(answer.quote).items()
        plain["quote"] = {name: value for name, value in quoted if value is not None}
    return {name: value for name, value in plain.items() if value is not None}


def headline(answer: Answer) -> str:
    """The count with its interval, its price, or the refusal, in one line of markup."""
    if answer.status == "ok" and answer.count is None and answer.quote is not None:
        return "[bold]a price[/]; nothing was drawn or charged"
    if not answer.ok:
        reason = escape(answer.error_message or "the service gave no reason")
        return f"[yellow]{answer.status}[/]: {reason}"
    sign = "" if answer.since_epoch is None else "+"
    line = f"[bold]{answer.count:{sign},}[/]" + (
        " in all" if answer.table is not None else ""
    )
    if answer.interval is not None:
        low, high = answer.interval
        sure = formats.percent(answer.confidence)
        line += f"   between {low:,} and {high:,} with {sure} confidence"
    return line


def details(answer: Answer) -> Iterator[Table | str]:
    """The rows of a table; where the count comes from and what it promises, by line."""
    if answer.table is not None:
        yield from tables.parts(answer.table)
    grid = Table.grid(padding=(0, 3))
    for name, fact in _facts(answer):
        grid.add_row(f"[dim]{name}[/]", escape(fact))
    if grid.row_count:
        yield grid


def row(answer: Answer) -> tuple[str, ...]:
    """The answer as one row under ``HEADS``; absent fields are empty."""
    low, high = answer.interval or (None, None)
    return (
        answer.client,
        answer.name or "",
        answer.status,
        formats.cell(answer.count),
        "" if low is None else f"{formats.cell(low)} … {formats.cell(high)}",
        answer.route or "",
        formats.cell(answer.epoch),
        "" if answer.ok else (answer.error_message or ""),
    )


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.quote is not None:
        yield from answer.quote.facts()
    if answer.route is not None:
        yield "route", _route(answer)
    if answer.as_of_ms is not None:
        yield "as of", f"{formats.moment(answer.as_of_ms)}, epoch {answer.epoch}"
    if answer.since_ms is not None:
        then = f"{formats.moment(answer.since_ms)}, epoch {answer.since_epoch}"
        yield "net change since", then
    if answer.frozen:
        yield "frozen", "no newer release follows; this is the last one"
    if answer.stderr is not None and answer.quote is None:
        yield "standard error", f"{answer.stderr:,.1f} rows"
    if answer.unbiased is not None:
        yield (
            "unbiased",
            f"{answer.unbiased:,}, the noisy sum that the interval is around",
        )
    if answer.ok:
        yield "cost", answer.cost
    if answer.guarantee:
        yield from promises(answer.guarantee)


def _route(answer: Answer) -> str:
    words = ROUTES[answer.route] if answer.route else ""
    if answer.atoms is not None and answer.atoms > 1:
        words += f", the sum of {answer.atoms:,} of its cells"
    if answer.group is not None:
        words += f" (group {answer.group}, plan {answer.plan})"
    return words
