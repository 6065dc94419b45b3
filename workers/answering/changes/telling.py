"""Answers to questions with ``since``: a net change with its error, or a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from sigmacount.domain import Schema
from sigmacount.errors import (
    ChangeNotHeld,
    ChangesNotTold,
    ChangeTooInexact,
    PlanChanged,
    SinceInFuture,
    SinceTooEarly,
)
from sigmacount.language import CountQuestion
from sigmacount.release import (
    NOTHING,
    Changes,
    Estimate,
    NoisyCount,
    SinceWhen,
    answered_table,
)
from sigmacount.sets import GroupedQuery, Query
from store.releases.history import History
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.tables import PLAIN, Terms
from workers.answering.answers import answered, failed
from workers.answering.asking.questions import Question
from workers.answering.changes.past_epochs import Compared, PastEpochs
from workers.answering.served_epoch import ServedEpoch
from workers.answering.table_memos import table_answer

REFUSED: Final = (
    ChangeNotHeld,
    ChangesNotTold,
    ChangeTooInexact,
    PlanChanged,
    SinceInFuture,
    SinceTooEarly,
)


class ChangeTeller:
    """Answers what changed since, from what was released: it spends nothing.

    Not for two tasks at once.
    """

    def __init__(self, history: History, schema: Schema) -> None:
        self._past = PastEpochs(history, schema)

    async def tell(
        self, serving: ServedEpoch | None, asked: Iterable[Question]
    ) -> None:
        """Every question with ``since`` has its answer, or why there is none.

        Raises:
            StoreUnavailable: the caller does it again.
        """
        for each in asked:
            meaning, since = each.meaning, each.since
            if meaning is not None and since is not None and each.answer is None:
                each.answer = await self._told(serving, meaning, since, each.terms)

    async def _told(
        self,
        serving: ServedEpoch | None,
        asked: CountQuestion,
        since: SinceWhen,
        terms: Terms,
    ) -> QueryAnswered:
        if serving is None:
            return failed("refused", SinceTooEarly())
        try:
            compared = await self._past.compared(serving.head, since)
            answer = _answer(serving, compared, asked, terms)
        except REFUSED as error:
            return failed("refused", error)
        then = compared.then
        return msgspec.structs.replace(
            answer, since_epoch=then.epoch, since_ms=then.as_of_ms
        )


class _NoChange:
    """Between an epoch and itself: 0, exactly, whatever is asked."""

    def noisy_count(self, query: Query) -> NoisyCount | None:  # noqa: ARG002
        return NOTHING

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:  # noqa: ARG002
        return NOTHING


def _answer(
    serving: ServedEpoch, compared: Compared, asked: CountQuestion, terms: Terms
) -> QueryAnswered:
    changes = compared.changes or _NoChange()
    confidence = terms.confidence or serving.confidence
    if asked.grouped is not None:
        return _table(serving, compared, changes, asked, terms)
    found = changes.noisy_count(asked.condition)
    if found is None:
        raise _not_told(serving, compared, asked)
    said = found.estimate(confidence)
    _check(said, terms)
    sources = () if found.source is None else (found.source,)
    promise = serving.guarantee_of(sources)
    answer = answered(said, serving.head, "algebra", promise, group=found.source)
    return msgspec.structs.replace(answer, unbiased=said.noisy)


def _table(
    serving: ServedEpoch,
    compared: Compared,
    changes: Changes,
    asked: CountQuestion,
    terms: Terms,
) -> QueryAnswered:
    grouped, shown = asked.grouped, asked.arrangement
    confidence = terms.confidence or serving.confidence
    found = None if grouped is None else answered_table(changes, grouped, confidence)
    if found is None or grouped is None:
        raise _not_told(serving, compared, asked)
    for row in found.rows:
        _check(row.estimate, terms)
    promise = serving.guarantee_of(found.sources)
    group = found.sources[0] if len(found.sources) == 1 else None
    answer = table_answer(
        found, grouped, shown, serving.head, "algebra", promise, PLAIN
    )
    return msgspec.structs.replace(answer, group=group, unbiased=found.total.noisy)


def _check(said: Estimate, terms: Terms) -> None:
    """Refuse what is less exact than it is wanted: no money makes it better."""
    if terms.error is not None and said.half > terms.error:
        raise ChangeTooInexact(said.half)


def _not_told(
    serving: ServedEpoch, compared: Compared, asked: CountQuestion
) -> ChangeNotHeld | PlanChanged:
    """Either nothing holds it, or not what held it then."""
    sets = [asked.condition]
    if asked.grouped is not None:
        sets = [cell.query for cell in asked.grouped.cells()]
    if all(map(serving.answerer.holds, sets)):
        return PlanChanged(compared.whole.epoch, compared.whole.written)
    return ChangeNotHeld()
