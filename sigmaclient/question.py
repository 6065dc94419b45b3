"""Question: what is asked for, and on which terms, as one value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict, Unpack

from streams.wire.messages.events import SINCE_VERSION, VERSION, QueryAsked, Where

_ORDERED = re.compile(r"\border\s+by\b", re.IGNORECASE)


class Options(TypedDict, total=False):
    """What may stand beside the condition of a question; see `Question`."""

    by: str | Sequence[str]
    having: Mapping[str, int]
    order_by: str | Sequence[str]
    limit: int | None
    price: bool
    max_cost: int | None
    max_cost_measure: Literal["epsilon", "rho"] | None
    error: float | None
    confidence: float | None
    repeat: bool
    since: int | str | None


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
        max_cost_measure: what ``max_cost`` is in, ``epsilon`` (µε) or ``rho`` (pρ): a
            ledger of another measure spends nothing; None: whatever it counts in.
        error: half the width of the interval that is wanted; without ``max_cost`` the
            answer is its price, and nothing is spent.
        confidence: of the interval, between 0 and 1.
        repeat: under the rule ``continual`` later epochs answer it at no charge; False:
            it is asked once, with less noise for the price.
        since: the net change since an epoch (its number), a time
            (``"2026-11-29T12:00:00Z"``) or so long ago (``"1h"``, ``"5 epochs"``).
    """

    where: Where = ""
    by: str | Sequence[str] = ()
    having: Mapping[str, int] = field(default_factory=dict)
    order_by: str | Sequence[str] = ()
    limit: int | None = None
    price: bool = False
    max_cost: int | None = None
    max_cost_measure: Literal["epsilon", "rho"] | None = None
    error: float | None = None
    confidence: float | None = None
    repeat: bool = True
    since: int | str | None = None

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
            max_cost_measure=self.max_cost_measure,
            error=self.error,
            confidence=self.confidence,
            repeat=self.repeat,
            since=self.since,
            v=VERSION if self.since is None else SINCE_VERSION,
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
