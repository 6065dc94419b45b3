"""Questions for a count or a table: answered from an epoch, a memo, or passed on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sigmacount.language import CountQuestion
from sigmacount.release import TableArrangement
from sigmacount.sets import GroupedQuery
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.privacy import Guarantee
from streams.wire.messages.tables import Terms
from workers.answering.composing import composed
from workers.answering.known import answer_on, plain, recalled
from workers.answering.served_epoch import ServedEpoch
from workers.answering.table_memos import (
    own_noise,
    read_table_memo,
    table_answer,
    table_on,
)


def answer_to(
    serving: ServedEpoch, asked: CountQuestion, terms: Terms
) -> QueryAnswered | None:
    """The answer that the algebras of the epoch give on these terms, or None."""
    grouped = asked.grouped
    if grouped is None:
        return answer_on(serving, asked.condition, terms)
    if plain(terms):
        found = serving.table(grouped)
    else:
        found = table_on(serving.answerer, grouped, None, terms, serving.confidence)
    if found is None:
        return None
    promise = serving.guarantee_of(found.sources)
    shown = asked.arrangement
    answer = table_answer(
        found, grouped, shown, serving.head, "algebra", promise, terms
    )
    group = found.sources[0] if len(found.sources) == 1 else None
    unbiased = found.total.noisy if serving.answerer.tells_unbiased else answer.unbiased
    return msgspec.structs.replace(answer, group=group, unbiased=unbiased)


def recalled_to(
    serving: ServedEpoch, memo: bytes | None, asked: CountQuestion, terms: Terms
) -> QueryAnswered | None:
    """The answer of a memo on these terms; None: there is none that will do."""
    if asked.grouped is None:
        return recalled(memo, terms, serving.confidence)
    return _table_recalled(serving, memo, asked.grouped, asked.arrangement, terms)


def _table_recalled(
    serving: ServedEpoch,
    text: bytes | None,
    grouped: GroupedQuery,
    shown: TableArrangement,
    terms: Terms,
) -> QueryAnswered | None:
    """Rows that an algebra holds are read off it, the others off the memo."""
    memo = read_table_memo(text)
    own = None if memo is None else own_noise(memo, grouped.size)
    if memo is None or own is None:
        return None
    found = table_on(serving.answerer, grouped, own, terms, serving.confidence)
    if found is None:
        return None
    promise = promise_with(serving, found.sources, own.unit, memo.guarantee)
    return table_answer(found, grouped, shown, serving.head, "memo", promise, terms)


def promise_with(
    serving: ServedEpoch | None, sources: Sequence[str], unit: str, own: Guarantee
) -> Guarantee | None:
    """What is promised of rows read off these sources, ``unit`` among them or not."""
    groups = [source for source in sources if source != unit]
    promises = [own] if unit in sources else []
    if serving is not None and (groups or not promises):
        return composed([serving.guarantee_of(groups), *promises])
    return own if promises else None
