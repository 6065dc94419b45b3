"""Standing questions as a person reads them, and as a program does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from msgspec import to_builtins
from rich.table import Table

from sigmaclient import NamedQuestion
from sigmacount.mechanisms import Measure
from streams.wire.messages.standing import StandingQuestion
from views import formats

HEADS: Final = ("client", "name", "question", "by", "every", "each may cost")


def as_dict(named: NamedQuestion) -> dict[str, Any]:
    """The question as it travels on ``standing``."""
    plain: dict[str, Any] = to_builtins(named.event())
    return plain


def listed(questions: Sequence[NamedQuestion]) -> Table:
    """A line for each."""
    return formats.table(HEADS, map(row, questions))


def row(named: NamedQuestion) -> tuple[str, ...]:
    """A question under ``HEADS``."""
    event = named.event()
    where = event.where if isinstance(event.where, str) else json.dumps(event.where)
    where = where or "every row"
    if event.since is not None:
        where += f" (change since {event.since})"
    epochs = "epoch" if named.every == 1 else f"{named.every:,} epochs"
    by = ", ".join(event.by)
    cost = _cost(event)
    return (named.client, named.name, where, by, epochs, cost)


def _cost(event: StandingQuestion) -> str:
    """In the measure that the question names; else in whatever the ledger counts."""
    if not event.max_cost:
        return "nothing"
    if event.max_cost_measure is None:
        return f"{event.max_cost:,} units of the ledger"
    return formats.amount(Measure(event.max_cost_measure), event.max_cost)
