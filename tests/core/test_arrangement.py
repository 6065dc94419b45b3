"""HAVING, ORDER BY and LIMIT pick among the rows that there are, and change none."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import InvalidPredicate, UnknownName
from sigmacount.release import NoisyCount, TableArrangement, tabulated
from tests.core.people import SCHEMA as PEOPLE
from tests.core.priced import laplace
from tests.core.tiny import SCHEMA

QUIET = laplace(60_000_000)


def rows_of(counts):
    """Rows of b and c, as declared, with these counts."""
    levels = [divmod(k, 4) for k in range(len(counts))]
    said = [NoisyCount.drawn(n, n, QUIET, 1, "g") for n in counts]
    return tabulated(levels, said, 0.9).rows


def arranged(counts, by=("b", "c"), having=None, order_by=(), limit=None):
    """(levels, count) of the rows that are shown."""
    arrangement = TableArrangement.of(SCHEMA, by, having, order_by, limit)
    shown = arrangement.arranged(rows_of(counts))
    return [(row.levels, row.estimate.count) for row in shown]


COUNTS = [5, 9, 5, 0, 7, 9, 5, 1]


def test_without_any_all_rows_stay_as_declared():
    """In the order of the columns: the first counts slowest."""
    assert arranged(COUNTS) == [(divmod(k, 4), n) for k, n in enumerate(COUNTS)]
    assert [at for at, _ in arranged(COUNTS, by=("c", "b"))][:3] == [
        (0, 0), (1, 0), (0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("order_by", "expected"),
    [
        (["count"], [0, 1, 5, 5, 5, 7, 9, 9]),
        (["-count"], [9, 9, 7, 5, 5, 5, 1, 0]),
        (["b", "-COUNT"], [9, 5, 5, 0, 9, 7, 5, 1]),
        (["-C", "b"], [0, 1, 5, 5, 9, 9, 5, 7]),
    ],
)
def test_rows_are_ordered_by_counts_and_levels(order_by, expected):
    """The first named decides first."""
    assert [n for _, n in arranged(COUNTS, order_by=order_by)] == expected


def test_ties_stay_as_declared():
    """Also where the order descends: who asks again sees the same."""
    top = arranged(COUNTS, order_by=["-count"], limit=5)

    assert [at for at, _ in top] == [(0, 1), (1, 1), (1, 0), (0, 0), (0, 2)]
    assert arranged(COUNTS, limit=0) == []


@given(
    counts=st.lists(st.integers(0, 9), min_size=8, max_size=8),
    bounds=st.dictionaries(
        st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]), st.integers(0, 9)
    ),
)
def test_having_keeps_the_rows_whose_count_is_within_all_bounds(counts, bounds):
    """As Python compares; the kept ones stay in order."""
    kept = [n for _, n in arranged(counts, having=bounds)]

    assert kept == [
        n for n in counts if all(getattr(operator, w)(n, b) for w, b in bounds.items())
    ]


def test_labels_stand_in_the_order_of_the_columns():
    """A table keeps them as the schema does."""
    arrangement = TableArrangement.of(PEOPLE, ["country", "AGE"])

    assert arrangement.columns(["17-29", "US"]) == ("US", "17-29")


@pytest.mark.parametrize(
    ("by", "more", "error", "words"),
    [
        (["c"], {"having": {"gte": 3}}, InvalidPredicate, "by eq, ne, lt, le, gt, ge"),
        (["c"], {"order_by": ["cuont"]}, UnknownName, "Did you mean 'count'"),
        (["c"], {"order_by": ["-b"]}, UnknownName, "no column 'b'"),
        (["x"], {}, UnknownName, "no attribute 'x'"),
        ([], {"having": {"ge": 3}}, InvalidPredicate, "are of tables"),
        ([], {"order_by": ["count"]}, InvalidPredicate, "are of tables"),
        ([], {"limit": 3}, InvalidPredicate, "are of tables"),
    ],
)
def test_what_has_no_meaning_is_refused(by, more, error, words):
    """With words that say what has one."""
    with pytest.raises(error, match=words):
        TableArrangement.of(SCHEMA, by, **more)
