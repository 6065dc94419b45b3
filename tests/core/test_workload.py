"""A workload sums what each query of the log would sum, shape by shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, propose
from sigmacount.sets import (
    Algebra,
    GroupedQuery,
    Query,
    WeightedQuery,
    WeightedTable,
    Workload,
)
from tests.core.tiny import OTHER, SCHEMA, algebras, logs, queries


def by_query(demand, algebra):
    """Mean atoms of each shape, one query at a time; infinite when one is outside."""
    return [
        sum(
            weight * algebra.count_atoms(query) if query in algebra else np.inf
            for query, weight in shape.asked
        )
        / demand.weight
        for shape in demand.shapes
    ]


@given(log=logs, algebra=algebras)
def test_atoms_in_any_algebra_are_those_of_the_queries(log, algebra):
    """Whether its blocks are those of the log, coarser, finer or merged."""
    demand = Workload.of(SCHEMA, log)

    assert demand.atoms_in(algebra) == pytest.approx(by_query(demand, algebra))


@given(log=logs, data=st.data())
def test_a_table_sums_its_size_times_the_fraction(log, data):
    """One number a shape prices it in every product that holds it."""
    demand = Workload.of(SCHEMA, log)
    mask = data.draw(st.integers(0, 2 ** len(demand.attributes) - 1))

    algebra = demand.algebra(mask)

    priced = np.where(demand.masks & ~mask, np.inf, demand.fraction * algebra.size)
    assert priced == pytest.approx(by_query(demand, algebra))


@given(log=logs)
def test_one_table_of_everything_holds_every_shape(log):
    """The common refinement cuts wherever a query does."""
    demand = Workload.of(SCHEMA, log)
    algebra = demand.algebra(2 ** len(demand.attributes) - 1)

    assert np.isfinite(demand.atoms_in(algebra)).all()
    assert algebra == Algebra.covering(
        SCHEMA, [query for shape in demand.shapes for query, _ in shape.asked]
    )


@given(log=logs)
def test_shares_and_counts_add_up(log):
    """Queries that hold no row, or weigh nothing, are left out."""
    asked = [entry for entry in log if entry.weight and entry.query.table.any()]

    demand = Workload.of(SCHEMA, log)

    assert demand.weight == pytest.approx(sum(entry.weight for entry in asked))
    assert demand.share.sum() == pytest.approx(1 if asked else 0)
    assert demand.distinct.sum() == len({entry.query.key for entry in asked})


@given(query=queries())
def test_a_query_logged_twice_is_one_query(query):
    """Its weights are added."""
    log = [WeightedQuery(query, 2.0), WeightedQuery(query, 3.0)]

    demand = Workload.of(SCHEMA, log)

    assert demand.weight == (5.0 if query.table.any() else 0.0)
    assert demand.distinct.sum() == query.table.any()


@pytest.mark.parametrize(
    "entry",
    [
        WeightedQuery(Query.everything(SCHEMA), -1.0),
        WeightedQuery(Query.everything(OTHER)),
    ],
)
def test_a_log_that_makes_no_sense_is_refused(entry):
    """Negative weights and foreign queries are faults of the caller."""
    with pytest.raises(ValueError, match="a log holds"):
        Workload.of(SCHEMA, [entry])


tables = st.builds(
    WeightedTable,
    st.builds(
        GroupedQuery, queries(), st.sets(st.integers(0, 3), min_size=1).map(tuple)
    ),
    st.floats(0.01, 50),
)


@settings(max_examples=60)
@given(log=logs, table=tables, algebra=algebras)
def test_a_table_weighs_as_one_query_of_the_size_of_its_mean_row(log, table, algebra):
    """It is held where all its rows are, and is charged for once."""
    cells = [cell.query for cell in table.query.cells()]
    demand = Workload.of(SCHEMA, [*log, table])
    if not cells:
        assert demand.weight == Workload.of(SCHEMA, log).weight
        return

    held = all(query in algebra for query in cells)
    mean = np.mean([algebra.count_atoms(q) for q in cells]) if held else np.inf
    alone = Workload.of(SCHEMA, [table])

    assert alone.atoms_in(algebra) == pytest.approx([mean])
    assert alone.distinct.tolist() == [1]
    assert alone.weight == table.weight
    whole = alone.algebra(2 ** len(alone.attributes) - 1)
    sizes = alone.fraction * whole.size
    assert sizes == pytest.approx([np.mean([whole.count_atoms(q) for q in cells])])


def test_an_algebra_of_wider_blocks_does_not_hold_a_table():
    """Though it holds the condition, and the attribute is in it."""
    table = GroupedQuery.of(Query.everything(SCHEMA), ["c"])
    halves = Algebra.product(SCHEMA, {2: np.array([0, 0, 1, 1])})

    demand = Workload.of(SCHEMA, [WeightedTable(table)])

    assert np.isinf(demand.atoms_in(halves)).all()


def test_an_algebra_of_finer_blocks_sums_the_mean_row():
    """Two rows of one atom each, out of four, where two levels are left out."""
    first = np.array([True, False])
    some = Query.build(SCHEMA, [2], [np.array([0, 0, 1, 1])], first)
    table = GroupedQuery.of(some, ["c"])

    demand = Workload.of(SCHEMA, [WeightedTable(table)])

    assert demand.atoms_in(Algebra.full(SCHEMA, [2])).tolist() == [1.0]
    assert demand.atoms_in(Algebra.full(SCHEMA, [0, 2])).tolist() == [3.0]


def test_an_algebra_of_merged_atoms_sums_the_mean_row():
    """One row of two atoms, three of one."""
    each = [Query.build(SCHEMA, [2], [np.arange(4)], row == 1) for row in np.eye(4)]
    both = [np.array([0, 1, 1]), np.arange(4)]
    corner = np.zeros((2, 4), bool)
    corner[0, 0] = True
    merged = Algebra.induced_by(
        SCHEMA, [*each, Query.build(SCHEMA, [0, 2], both, corner)]
    )
    table = GroupedQuery.of(Query.everything(SCHEMA), ["c"])

    demand = Workload.of(SCHEMA, [WeightedTable(table)])

    assert merged.merged is not None
    assert demand.atoms_in(merged).tolist() == [1.25]


def test_a_plan_for_a_table_holds_each_of_its_rows():
    """So that whoever asks it again asks for nothing."""
    table = GroupedQuery.of(Query.everything(SCHEMA), ["a", "c"])
    terms = PlanOptions(Amount.pure(1_000_000), DiscreteLaplace.costing(1_000))

    plan = propose(SCHEMA, [WeightedTable(table, 30.0)], terms).plan

    [group] = plan.groups
    assert group.algebra == Algebra.full(SCHEMA, table.by)
