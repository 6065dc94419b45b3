"""An answer as a person reads it, and as a program does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from sigmaclient.answer import Answer
from views import formats

ROUTES = {
    "algebra": "an algebra of the plan",
    "memo": "a question asked before",
    "fresh": "noise of its own, given to this question alone",
}
HEADS = ("client", "status", "count", "interval", "route", "epoch", "reason")


def as_dict(answer: Answer) -> dict[str, Any]:
    """The answer as it travels on ``results``, absent fields left out."""
    plain = {name: getattr(answer, name) for name in answer.__slots__}
    code, message = plain.pop("error_code"), plain.pop("error_message")
    if code is not None:
        plain["error"] = {"code": code, "message": message}
    return {name: value for name, value in plain.items() if value is not None}


def headline(answer: Answer) -> str:
    """The count with its interval, or the refusal, in one line of markup."""
    if not answer.ok:
        reason = escape(answer.error_message or "the service gave no reason")
        return f"[yellow]{answer.status}[/]: {reason}"
    line = f"[bold]{answer.count:,}[/]"
    if answer.interval is not None:
        low, high = answer.interval
        sure = formats.percent(answer.confidence)
        line += f"   between {low:,} and {high:,} with {sure} confidence"
    return line


def details(answer: Answer) -> Iterator[Table]:
    """Where the count comes from and what it promises, one fact a line."""
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
        answer.status,
        formats.cell(answer.count),
        "" if low is None else f"{formats.cell(low)} … {formats.cell(high)}",
        answer.route or "",
        formats.cell(answer.epoch),
        "" if answer.ok else (answer.error_message or ""),
    )


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.route is not None:
        yield "route", _route(answer)
    if answer.as_of_ms is not None:
        yield "as of", f"{formats.moment(answer.as_of_ms)}, epoch {answer.epoch}"
    if answer.frozen:
        yield "frozen", "the budget allows no newer release; this is the last one"
    if answer.ok:
        spent = answer.spent_micro_epsilon
        yield "cost", formats.in_epsilon(spent) if spent else "nothing"
    if answer.guarantee:
        yield from _guarantee(answer.guarantee)


def _route(answer: Answer) -> str:
    words = ROUTES[answer.route] if answer.route else ""
    if answer.atoms is not None and answer.atoms > 1:
        words += f", the sum of {answer.atoms:,} noisy counts"
    if answer.group is not None:
        words += f" (group {answer.group}, plan {answer.plan})"
    return words


def _guarantee(promise: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The service's own words, whatever rule it follows."""
    rule = promise.get("rule", "unnamed")
    over = promise.get("micro_epsilon_over_epochs", promise.get("micro_epsilon"))
    price = f", {formats.in_epsilon(over)}" if isinstance(over, int) else ""
    epochs = promise.get("epochs")
    span = f" over {epochs:,} epochs" if isinstance(epochs, int) and epochs > 1 else ""
    yield "guarantee", f"{rule}{price}{span}, {promise.get('adjacency', '')}"
    if "rho" in promise:
        yield "assuming", f"a row changes or leaves with probability {promise['rho']:g}"
    if protects := promise.get("protects"):
        yield "protects", str(protects)
    if promise.get("changes_are_exact"):
        yield "beware", "two epochs differ by the exact change: see docs/limits.md"
