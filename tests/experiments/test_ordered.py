"""One order: every nested pair is looked at, and only the order keeps all of them."""

import numpy as np
import pytest

from experiments.measuring.answers import answered
from experiments.measuring.layered_queries import LayeredQueries
from experiments.parts.ordered import nested
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group
from sigmacount.sets import Algebra

COLUMNS = 4
EVERY = (np.arange(3**COLUMNS)[:, None] // 3 ** np.arange(COLUMNS) % 3).astype(np.int8)
ASKED = LayeredQueries.of(EVERY)
QUERIES = [ASKED.spelled(row) for row in EVERY]


def test_every_nested_pair_is_counted_once():
    """5^c pairs hold, for each column equal or narrower, less the 3^c of equals."""
    pairs, broken = nested(EVERY, np.zeros(len(EVERY)))

    found = sum(one.issubset(two) for one in QUERIES for two in QUERIES)
    assert pairs == 5**COLUMNS - 3**COLUMNS == found - len(QUERIES)
    assert broken[0] == 0


@pytest.mark.parametrize("kept", [(), ((0, 1, 2),), ((0, 1, 2), (1, 2, 3), (0, 3))])
def test_hostile_counts_break_the_order_and_it_is_mended(kept):
    """Whatever the tables and fresh draws say; without tables all are fresh."""
    draw = np.random.default_rng(1)
    groups = tuple(
        Group(Algebra.full(ASKED.schema, some), DiscreteLaplace.costing(100_000))
        for some in kept
    )
    counts = {g.id: draw.integers(0, 50, g.algebra.size) for g in groups}
    alone = draw.integers(-99, 400, len(QUERIES))

    said = answered(groups, counts, QUERIES, alone)

    _, broken = nested(EVERY, said.before, said.after)
    assert broken[0] > 0
    assert broken[1] == 0
    assert said.fresh.sum() == sum(
        not any(query in g.algebra for g in groups) for query in QUERIES
    )
