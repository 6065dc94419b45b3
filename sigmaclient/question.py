"""Question: what is asked for, and on which terms, as one value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from streams.wire.messages.events import QueryAsked, Where

_ORDERED = re.compile(r"\border\s+by\b", re.IGNORECASE)


class Options(TypedDict, total=False):
    """What may stand beside the condition of a question; see `Question`."""

    by: str | Sequence[str]
    having: Mapping[str, int]
    order_by: str | Sequence[str]
    limit: int | None
    price: bool
    max_cost: int | None
    error: float | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Question:
    """How many rows satisfy ``where``: in all, or in a table; at which price.

    Units: ``max_cost`` in units of the ledger (µε for ε); ``error`` in rows.

    Attributes:
        where: SQL (``"age >= 60 AND sex = 'F'"``), its JSON form (``{"age": {"ge":
            60}, "sex": ["F"]}``), or a whole ``SELECT … COUNT(*) FROM …`` as text.
        by: an attribute, or several: a row for each combination of their levels.
        having: only rows of the table whose count is within bounds: ``{"ge": 100}``.
        order_by: ``count`` or attributes of the table, ``-`` before a descending one.
        limit: how many rows of the table at most.
        price: only say what it would cost; nothing is drawn or charged.
        max_cost: refuse rather than spend more; 0: only if it is free.
        error: half the width of the interval that is wanted; without ``max_cost`` the
            answer is its price, and nothing is spent.
        confidence: of the interval, between 0 and 1.
    """

    where: Where = ""
    by: str | Sequence[str] = ()
    having: Mapping[str, int] = field(default_factory=dict)
    order_by: str | Sequence[str] = ()
    limit: int | None = None
    price: bool = False
    max_cost: int | None = None
    error: float | None = None
    confidence: float | None = None

    @classmethod
    def of(cls, where: Where | Question, **options: Unpack[Options]) -> Question:
        """A question as it is, or one of a condition and options.

        Raises:
            TypeError: options beside a whole question; put them into it.
        """
        if not isinstance(where, Question):
            return cls(where, **options)
        if options:
            msg = f"{', '.join(options)}: put it into the Question"
            raise TypeError(msg)
        return where

    def event(self, request_id: str, client: str) -> QueryAsked:
        """The question as it travels."""
        return QueryAsked(
            request_id=request_id,
            client=client,
            where=self.where,
            by=_names(self.by),
            having=dict(self.having),
            order_by=_names(self.order_by),
            limit=self.limit,
            price=self.price,
            max_cost=self.max_cost,
            error=self.error,
            confidence=self.confidence,
        )

    @property
    def declared(self) -> bool:
        """Whether the rows of its table come in the order of the declaration."""
        if _names(self.order_by) not in {(), _names(self.by)}:
            return False
        return not (isinstance(self.where, str) and _ORDERED.search(self.where))


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    """One name, or several."""
    return (given,) if isinstance(given, str) else tuple(given)
