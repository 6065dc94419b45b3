"""Standing questions as a person reads them, and as a program does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from msgspec import to_builtins
from rich.table import Table

from sigmaclient import NamedQuestion
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
    epochs = "epoch" if named.every == 1 else f"{named.every:,} epochs"
    cost = formats.in_epsilon(event.max_cost) if event.max_cost else "nothing"
    by = ", ".join(event.by)
    return (named.client, named.name, where or "every row", by, epochs, cost)
