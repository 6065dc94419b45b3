"""Strategies choose clusters within the terms, and the search only ever improves."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sigmacount.errors import AlgebraTooLarge
from sigmacount.mechanisms import Amount
from sigmacount.planner import PlanOptions, Subsets, strategy_named
from sigmacount.planner.annealing import anneal
from sigmacount.planner.choice import Choice
from sigmacount.planner.clusters import packed
from sigmacount.planner.objective import Objective
from sigmacount.planner.strategies import Disjoint, Greedy, Optimal
from sigmacount.sets import Query, WeightedQuery, Workload
from tests.core.priced import laplace, options
from tests.core.tiny import SCHEMA, binary, groups, logs

QUICK = Greedy(effort=0.001)
BAR = 330 * 2  # docs/mathematics.md, 6: the cheapest-cluster plan of 10 columns, B = 1
some_terms = st.builds(
    PlanOptions,
    budget=st.just(Amount.pure(10**6)),
    fresh=st.just(laplace(20_000)),
    max_atoms=st.integers(2, 50),
    max_total_atoms=st.integers(2, 100),
    max_groups=st.integers(1, 5),
)


def rng():
    """The same randomness for each example."""
    return np.random.default_rng(1)


def objective(log, terms=None, kept=()):
    """The objective of a log on the tiny domain."""
    return Objective.of(Workload.of(SCHEMA, log), terms or options(10**6, 20_000), kept)


@given(log=logs, size=st.integers(1, 4))
def test_subsets_are_all_of_one_size(log, size):
    """The paper's clusters; fewer attributes than that make one set of all."""
    width = len(objective(log).cells)

    clusters = Subsets(size).clusters(objective(log), rng())

    assert len(set(clusters)) == len(clusters) == math.comb(width, min(size, width))
    assert {cluster.bit_count() for cluster in clusters} == {min(size, width)}


@pytest.mark.parametrize("limit", [3, 20])
def test_subsets_that_do_not_fit_are_refused(limit):
    """Six sets of two of four attributes: 3 are too few, and so are 20 atoms."""
    full = np.array([True, False])
    log = [
        WeightedQuery(Query.build(SCHEMA, [i], [np.minimum(np.arange(size), 1)], full))
        for i, size in enumerate(SCHEMA.sizes)
    ]

    with pytest.raises(AlgebraTooLarge):
        Subsets(2).clusters(
            objective(log, options(10**6, 20_000, max_total_atoms=limit)), rng()
        )


@given(log=logs)
def test_a_vertical_split_is_disjoint(log):
    """No attribute lies in two clusters."""
    clusters = Disjoint().clusters(objective(log), rng())

    assert sum(clusters) == np.bitwise_or.reduce(clusters or (0,))


@given(log=logs)
def test_the_vertical_split_scores_best_of_its_kind(log):
    """No worse than one cluster for everything."""
    given_log = objective(log)

    chosen = Choice.of(given_log, Disjoint().clusters(given_log, rng()))

    whole = Choice.of(given_log, [given_log.everything])
    assert chosen.score <= whole.score * (1 + 1e-9)


@settings(max_examples=50, deadline=None)
@given(log=logs, terms=some_terms, kept=st.lists(groups, max_size=2, unique=True))
@pytest.mark.parametrize("strategy", [QUICK, Disjoint()])
def test_clusters_stay_within_the_terms(strategy, log, terms, kept):
    """Atoms of one, atoms of all with those that are kept, and their number."""
    given_log = objective(log, terms, kept)

    clusters = strategy.clusters(given_log, rng())

    volumes = [given_log.volume(cluster) for cluster in clusters]
    taken = sum(group.algebra.size for group in kept)
    assert max(volumes, default=0) <= terms.max_atoms
    assert not clusters or sum(volumes) + taken <= terms.max_total_atoms
    assert not clusters or len(clusters) + len(kept) <= terms.max_groups


@settings(max_examples=50, deadline=None)
@given(log=logs, tries=st.integers(0, 60), hot=st.sampled_from([0.01, 1e6]))
def test_a_walk_never_ends_worse_than_it_began(log, tries, hot):
    """It keeps the best choice it met, even so hot that every change is taken."""
    given_log = objective(log)
    start = Choice.of(given_log, [given_log.everything])

    found = anneal(start, tries, hot, rng())

    assert found.score <= start.score * (1 + 1e-9)


@settings(max_examples=50, deadline=None)
@given(log=logs, terms=some_terms, kept=st.lists(groups, max_size=1))
def test_a_walk_stays_within_the_terms(log, terms, kept):
    """Atoms of one, atoms of all with those that are kept, and their number."""
    given_log = objective(log, terms, kept)
    start = Choice.of(given_log, packed(given_log, terms.max_atoms))
    assume(start.clusters)

    found = anneal(start, 100, 0.5, rng())

    assert all(volume <= terms.max_atoms for volume in found.volume)
    assert found.atoms <= given_log.room
    assert len(found.clusters) <= given_log.most


def test_a_walk_leaves_fresh_what_there_is_no_room_for():
    """Two pairs of attributes, four atoms each, and room for six."""
    cut = np.array([True, False])
    both = np.outer(cut, cut)
    pairs = [
        Query.build(
            SCHEMA,
            pair,
            [np.minimum(np.arange(SCHEMA.sizes[i]), 1) for i in pair],
            both,
        )
        for pair in ((0, 3), (1, 2))
    ]
    terms = options(10**6, 20_000, max_total_atoms=6)
    start = Choice.of(objective(map(WeightedQuery, pairs), terms), [0b1001])

    found = anneal(start, 300, 0.5, rng())

    assert found.atoms == 4


def test_a_walk_never_goes_on_without_clusters():
    """Even so hot that dropping the last cluster is taken."""
    log = [
        WeightedQuery(
            Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))
        )
    ]
    start = Choice.of(objective(log), [1])

    found = anneal(start, 200, 1e6, rng())

    assert found.score <= start.score


def test_the_same_log_gives_the_same_clusters():
    """Randomness is a parameter."""
    schema, log = binary(6, 500)
    given_log = Objective.of(Workload.of(schema, log), options(10**6, 20_000))

    assert QUICK.clusters(given_log, rng()) == QUICK.clusters(given_log, rng())


@pytest.mark.parametrize("seed", [0, 1])
def test_greedy_reaches_the_figure_of_the_cheapest_table_plan(seed):
    """10 columns, 10^5 queries: at most 330 in units of 2/B²."""
    schema, log = binary(10, 100_000, seed)
    given_log = Objective.of(Workload.of(schema, log), options(10**6, 10_000))

    clusters = Greedy(effort=0.2).clusters(given_log, rng())

    assert Choice.of(given_log, clusters).score <= BAR


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("optimal", Optimal()),
        ("greedy", Greedy()),
        ("disjoint", Disjoint()),
        ("subsets:3", Subsets(3)),
    ],
)
def test_strategies_have_names(name, strategy):
    """What the operator writes in the settings."""
    assert strategy_named(name) == strategy


@pytest.mark.parametrize("name", ["", "subsets", "subsets:0", "subsets:x", "best"])
def test_an_unknown_strategy_is_refused(name):
    """The text tells which there are."""
    with pytest.raises(ValueError, match="take optimal, greedy, disjoint or subsets:3"):
        strategy_named(name)
