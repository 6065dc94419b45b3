"""The workload is the paper's, and its shapes lose no question."""

import math
from collections import Counter

import numpy as np
import pytest

from experiments.measuring.data import Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.spectrum import looked_up, spectrum, sums
from experiments.parts.violations import pairs

COUNT = 20_000
SEED = 5


def wanted(count, columns):
    """Questions int (Q, c): what each asks of each column; 2 for both."""
    rng = np.random.default_rng(SEED)
    return rng.choice([1, 0, 2], (count, columns), p=[0.2, 0.2, 0.6]).astype(np.int8)


def test_shapes_hold_each_distinct_question_as_often_as_it_was_asked():
    """Against a loop over the questions."""
    rows = wanted(3_000, 6)
    expected = Counter(map(tuple, rows.tolist()))

    found = {}
    asked = LayeredQueries.of(rows)
    for layer in asked.layers:
        for active, times in zip(layer.active.tolist(), layer.times, strict=True):
            for value in np.flatnonzero(times).tolist():
                row = [2] * 6
                for place, column in enumerate(reversed(active)):
                    row[column] = value >> place & 1
                found[tuple(row)] = int(times[value])

    assert found == expected
    number, distinct = asked.by_number
    assert number.sum() == 3_000
    assert distinct.sum() == len(expected)
    assert sum(each.weight for each in asked.log()) == 3_000


@pytest.mark.parametrize("columns", [10, 21])
def test_a_column_is_constrained_one_time_in_ten(columns):
    """Binomial (c, 0.1) by active columns; with a fixed seed it cannot flicker."""
    number, _ = LayeredQueries.drawn(columns, COUNT, SEED).by_number

    for j, seen in enumerate(number.tolist()):
        share = math.comb(columns, j) * 0.1**j * 0.9 ** (columns - j)
        assert abs(seen - COUNT * share) < 5 * math.sqrt(COUNT * share) + 1


def test_the_vectorised_truth_is_that_of_each_query():
    """Rows that `Query.contains` holds, for every distinct question."""
    rng = np.random.default_rng(SEED)
    bits = Bits("tiny", rng.random((500, 6)) < 0.3)
    rows = np.unique(wanted(400, 6), axis=0)
    asked = LayeredQueries.of(rows)
    codes, counts = bits.cells

    true = looked_up(spectrum(bits.counts), rows)

    assert true.tolist() == [
        int(counts[asked.spelled(row).contains(codes)].sum()) for row in rows
    ]
    assert len(set(true.tolist())) > 20


def test_sums_of_a_marginal_are_those_of_its_whole():
    """A table over some columns answers what it holds as the whole table does."""
    rng = np.random.default_rng(SEED)
    counts = rng.integers(0, 50, 2**6)
    marginal = counts.reshape((2,) * 6).sum(axis=(1, 4)).ravel()
    active = np.array([[0, 3], [2, 5]], np.intp)

    whole = sums(spectrum(counts), range(6), active)

    assert np.array_equal(sums(spectrum(marginal), (0, 2, 3, 5), active), whole)


def test_a_pair_is_a_question_and_one_constraint_less():
    """Of each pair the second holds the first; one without a constraint stays."""
    small, large = pairs(10, SEED)
    dropped = (small != large).sum(axis=1)

    assert np.array_equal(dropped, ((small < 2).any(axis=1)).astype(int))
    assert (large[small != large] == 2).all()
    assert len(small) == 100_000
