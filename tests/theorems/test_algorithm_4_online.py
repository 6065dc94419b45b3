"""Algorithm 4: a query is answered by the first group in rank that holds it.

When no group holds it, it is fresh; and the choice depends on the query alone. Where
groups cut their common attributes alike, no other group has a smaller variance.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import PAPER, PARALLEL, Charge, cost_of_algebra
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.models.ledger import Ledger
from sigmacount.release import Group, Router
from sigmacount.release.answers import router as module
from sigmacount.release.answers.router import route
from sigmacount.sets import Algebra, Query
from tests.core.tiny import OTHER, SCHEMA, groups, members, queries, subsets

several = st.lists(groups, max_size=6).map(tuple)


def test_ties_go_by_the_id_of_the_group():
    """Two tables of two levels hold everything equally well: one answers, always."""
    one, two = (
        Group(Algebra.full(SCHEMA, [i]), DiscreteLaplace.costing(50_000))
        for i in (1, 3)
    )
    everything = Query.everything(SCHEMA)

    answering = [route(everything, pair).group for pair in [(one, two), (two, one)]]

    assert answering == [min(one, two, key=lambda group: group.id)] * 2


def by_trying(query, among):
    """The best group by asking each: (rank, variance, atoms), or None."""
    found = [
        (group.rank, atoms * group.variance, atoms)
        for group in among
        if query in group.algebra
        for atoms in [len(group.algebra.atoms_of(query))]
    ]
    return min(found, default=None)


@given(among=several, data=st.data())
def test_the_first_in_rank_answers(among, data):
    """Line 3, ties by group id; line 5 exactly when no group holds the query."""
    some = [queries(), *[members(group.algebra) for group in among]]
    asked = data.draw(st.lists(st.one_of(some), min_size=1, max_size=4))
    router = Router(among)

    for query in asked:
        found = router.route(query)
        expected = by_trying(query, among)
        assert (found is None) == (expected is None)
        if found is not None:
            assert (found.group.rank, found.variance, found.atoms) == expected


@given(
    tables=st.lists(st.tuples(subsets, st.integers(10_000, 900_000)), max_size=6),
    query=queries(),
)
def test_where_groups_cut_alike_the_first_has_the_least_variance(tables, query):
    """Rank is no loss to a plan whose tables share their cuts, as the planner's do."""
    among = tuple(
        Group(Algebra.full(SCHEMA, names), DiscreteLaplace.costing(e))
        for names, e in tables
    )
    found = route(query, among)

    every = [g for g in among if query in g.algebra]
    assert (found is None) == (not every)
    if found is not None:
        least = min(g.algebra.count_atoms(query) * g.variance for g in every)
        assert found.variance == pytest.approx(least)


@given(among=several, query=queries(), data=st.data())
def test_the_order_of_groups_does_not_matter(among, query, data):
    """Two responders that list the plan differently answer alike."""
    shuffled = tuple(data.draw(st.permutations(among)))

    assert route(query, among) == route(query, shuffled)


@given(among=several, query=queries())
def test_a_function_does_what_the_router_does(among, query):
    """For those who ask once."""
    assert route(query, among) == Router(among).route(query)


@pytest.mark.parametrize("merged", [False, True])
def test_a_query_of_another_schema_is_fresh(merged):
    """No group of this schema can answer it."""
    cut = Query.build(
        SCHEMA, [0, 1], [np.array([0, 1, 1]), np.arange(2)], np.eye(2, dtype=np.bool_)
    )
    make = Algebra.induced_by if merged else Algebra.covering
    group = Group(make(SCHEMA, [cut]), DiscreteLaplace.costing(50_000))

    foreign = Query.build(OTHER, cut.active, cut.blocks, cut.table)

    assert route(cut, (group,)) is not None
    assert route(foreign, (group,)) is None


@pytest.mark.parametrize("rule", [PAPER, PARALLEL])
def test_fresh_queries_live_on_what_the_groups_leave(rule):
    """Line 5: the else-branch has ε_budget − Σ |Ω_k| ε, under the paper's charge."""
    among = [
        Group(Algebra.full(SCHEMA, names), DiscreteLaplace.costing(1_000))
        for names in ([0], [1, 2])
    ]
    prices = [cost_of_algebra(rule, g.algebra.size, g.price).units for g in among]
    ledger = Ledger("tiny", 20_000)

    for group, price in zip(among, prices, strict=True):
        ledger = ledger.charge(Charge(f"group:{group.id}:0", "group", price))

    charged = {PAPER: (3 + 2 * 4) * 1_000, PARALLEL: 2 * 1_000}[rule]
    assert ledger.left == 20_000 - charged


def test_without_groups_everything_is_fresh():
    """Before the first plan."""
    assert route(Query.everything(SCHEMA), ()) is None


def test_what_is_remembered_of_partitions_stays_bounded(monkeypatch):
    """The answers do not change when it is forgotten."""
    monkeypatch.setattr(module, "MOST_FITS", 1)
    router = Router(
        (Group(Algebra.full(SCHEMA, [0, 1]), DiscreteLaplace.costing(50_000)),)
    )
    one = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))
    two = Query.build(SCHEMA, [1], [np.arange(2)], np.array([True, False]))

    atoms = [router.route(query).atoms for query in (one, two, one, two)]

    assert atoms == [2, 3, 2, 3]
    assert len(router._fits) == 1  # noqa: SLF001 - memory is what this test is about
