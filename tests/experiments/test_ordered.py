"""One order: every nested pair is looked at, and only the order keeps all of them."""

import numpy as np
import pytest

from experiments.measuring.answers import answered, told
from experiments.measuring.layered_queries import LayeredQueries
from experiments.optimal.plans import at_epsilon, in_epsilon
from experiments.parts.ordered import nested
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.planner import Optimal, propose
from sigmacount.release import Answerers, EpochMaker, Group, simplex, tally
from sigmacount.sets import Algebra, WeightedQuery

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


@pytest.mark.parametrize("terms", [at_epsilon(0.1), in_epsilon(100_000)])
def test_a_joint_release_is_in_order_over_all_its_routes(terms):
    """Questions of its tables and fresh ones, whatever is drawn for either."""
    log = [WeightedQuery(q) for q in QUERIES if not {0, 3}.issubset(q.active)]
    plan = propose(ASKED.schema, log, terms, None, Optimal()).plan
    codes, rows = np.arange(2**COLUMNS), np.ones(2**COLUMNS, np.int64)
    tallies = {each.id: tally(each, codes, rows) for each in plan.tallied}
    noises = {unit.id: unit.mechanism.draw(unit.draws) for unit in plan.units}
    made = EpochMaker(simplex).arrays(plan, tallies, noises)
    answerer = Answerers().of(plan, made.noisy, made.counts)

    said = told(answerer, QUERIES, terms.fresh.draw(len(QUERIES)))

    _, broken = nested(EVERY, said.before, said.after)
    assert broken[0] > 0
    assert broken[1] == 0
    assert said.fresh.sum() == len(QUERIES) - len(log) == 36
