"""Lots: a batch of questions in parts, counts first, of bounded memory each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from workers.answering.asking.questions import Question

# XXX: the next batch waits for all tables of this one. A thousand of 4,096 rows that
# algebras hold take minutes, until those that waited too long are answered `expired`.
MOST_ROWS: Final = 2**14  # of tables that are answered together: about 10 MB


def lots(asked: Iterable[Question]) -> Iterator[list[Question]]:
    """All counts, and then tables: as many as have ``MOST_ROWS`` together, or one.

    A table of thousands of rows takes as long as thousands of counts, and a batch may
    hold a thousand: who asks for a count does not wait for them, and their rows are
    not held all at once. What was given out is forgotten here.
    """
    counts: list[Question] = []
    tables: deque[Question] = deque()
    for each in asked:
        (tables if _rows(each) else counts).append(each)
    if counts:
        yield counts
    while tables:
        lot = [tables.popleft()]
        rows = _rows(lot[0])
        while tables and rows + _rows(tables[0]) <= MOST_ROWS:
            lot.append(tables.popleft())
            rows += _rows(lot[-1])
        yield lot


def _rows(each: Question) -> int:
    if each.meaning is None or each.meaning.grouped is None:
        return 0
    return each.meaning.grouped.size
