"""Tables of counts, from what is known of their rows, as they are sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from sigmacount.errors import InvalidMessage
from sigmacount.mechanisms import Amount
from sigmacount.release import (
    Answerer,
    NoisyCount,
    RowEstimate,
    TableArrangement,
    TableEstimate,
    tabulated,
)
from sigmacount.sets import GroupedQuery
from store.releases.released import Head
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAnswered, RouteName
from streams.wire.messages.memos import TableMemo
from streams.wire.messages.privacy import Guarantee
from streams.wire.messages.tables import CountTable, TableCell, Terms
from workers.answering.answers import answered
from workers.answering.known import NotedNoise, noise_of


class OwnNoise(NamedTuple):
    """Noise that was paid for by one table, a draw for each cell, and its counts.

    Attributes:
        unit: whose noise it is.
        noisy: with the noise, by cell, in the order of ``GroupedQuery.cells``.
        counts: the same in one order with all answers of the epoch.
    """

    unit: str
    noise: NotedNoise
    noisy: tuple[int, ...]
    counts: tuple[int, ...]


def table_on(
    answerer: Answerer | None,
    grouped: GroupedQuery,
    own: OwnNoise | None,
    terms: Terms,
    confidence: float,
) -> TableEstimate | None:
    """The rows, each as exact as it is wanted; None: some row is not known that well.

    What an algebra holds is read off it, the rest off the table's own noise.
    """
    wanted = terms.confidence or confidence
    levels, counts, whole = [], [], answerer is not None
    for at, cell in enumerate(grouped.cells()):
        released = None if answerer is None else answerer.noisy_count(cell.query)
        known = (released, _own(own, at))
        found = next((c for c in known if c and _will_do(c, terms, wanted)), None)
        if found is None:
            return None
        levels.append(cell.levels)
        counts.append(found)
        whole = whole and found is released
    total = answerer.union(grouped) if answerer and whole else None
    return tabulated(levels, counts, wanted, total)


def table_answer(
    found: TableEstimate,
    grouped: GroupedQuery,
    shown: TableArrangement,
    head: Head,
    route: RouteName,
    guarantee: Guarantee | None,
    terms: Terms,
    spent: Amount | None = None,
) -> QueryAnswered:
    """What is sent: the rows that are shown, and the sum of all of them.

    Where an accuracy was asked for, intervals are around the noisy sums.
    """
    names = grouped.condition.schema.names
    exact = terms.error is not None
    rows = tuple(_rows(shown.arranged(found.rows), grouped, shown, exact=exact))
    table = CountTable(
        by=tuple(names[i] for i in shown.by), rows=rows, cells=grouped.size
    )
    answer = answered(found.total, head, route, guarantee, spent=spent)
    answer = msgspec.structs.replace(answer, table=table)
    if not exact:
        return answer
    total = found.total
    return msgspec.structs.replace(
        answer, interval=total.unbiased_interval, unbiased=total.noisy
    )


def read_table_memo(text: bytes | None) -> TableMemo | None:
    """The memo of a table; None where there is none that this version can read."""
    if text is None:
        return None
    try:
        return decode(TableMemo, text)
    except InvalidMessage:
        return None


def own_noise(memo: TableMemo, cells: int) -> OwnNoise | None:
    """The noise that a memo notes; None where it is of another table or law."""
    noise = noise_of(memo)
    if noise is None or len(memo.noisy) != cells:
        return None
    return OwnNoise(memo.unit, noise, memo.noisy, memo.counts)


def _own(own: OwnNoise | None, at: int) -> NoisyCount | None:
    if own is None:
        return None
    return NoisyCount.drawn(own.counts[at], own.noisy[at], own.noise.law, 1, own.unit)


def _will_do(count: NoisyCount, terms: Terms, confidence: float) -> bool:
    return terms.error is None or count.estimate(confidence).half <= terms.error


def _rows(
    rows: tuple[RowEstimate, ...],
    grouped: GroupedQuery,
    shown: TableArrangement,
    *,
    exact: bool,
) -> Iterator[TableCell]:
    for row in rows:
        said = row.estimate
        yield TableCell(
            levels=shown.columns(grouped.labels(row.levels)),
            count=said.count,
            stderr=said.stderr,
            interval=said.unbiased_interval if exact else said.interval,
            joint=row.joint,
        )
