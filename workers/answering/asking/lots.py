"""Lots: a batch of questions in parts, counts first, of bounded work and memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from sigmacount.errors import TooManyTables
from workers.answering.answers import failed
from workers.answering.asking.questions import Question

MOST_ROWS: Final = 2**14  # of tables that are answered together: about 10 MB

# The next batch waits for this one, and a row takes about 0.15 ms: 20 s at most.
MOST_IN_A_BATCH: Final = 2**17


def lots(asked: Iterable[Question]) -> Iterator[list[Question]]:
    """All counts, and then tables: as many as have ``MOST_ROWS`` together, or one.

    A table of thousands of rows takes as long as thousands of counts, and a batch may
    hold a thousand: who asks for a count does not wait for them, and their rows are
    not held all at once. Tables beyond ``MOST_IN_A_BATCH`` rows are refused, so that
    nobody's flood of them keeps others waiting. What was given out is forgotten here.
    """
    counts: list[Question] = []
    tables: deque[Question] = deque()
    taken = 0
    for each in asked:
        rows = _rows(each)
        if taken + rows > MOST_IN_A_BATCH:
            _refuse(each)
            rows = 0
        taken += rows
        (tables if rows else counts).append(each)
    if counts:
        yield counts
    while tables:
        lot = [tables.popleft()]
        rows = _rows(lot[0])
        while tables and rows + _rows(tables[0]) <= MOST_ROWS:
            lot.append(tables.popleft())
            rows += _rows(lot[-1])
        yield lot


def _refuse(each: Question) -> None:
    each.answer, each.meaning = failed("refused", TooManyTables(MOST_IN_A_BATCH)), None


def _rows(each: Question) -> int:
    if each.meaning is None or each.meaning.grouped is None:
        return 0
    return each.meaning.grouped.size
