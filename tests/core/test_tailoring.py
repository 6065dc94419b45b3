"""Strategies that fit what a log asks: which is chosen, and what it is worth."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.contrasts import (
    Grid,
    GriddedWorkload,
    IsotropicStrategy,
    ProductStrategy,
    WeightedStrategy,
    closure,
    tailored,
)
from sigmacount.contrasts.tailoring import choice
from sigmacount.contrasts.tailoring.attributes import AttributeShapes
from sigmacount.contrasts.tailoring.gridded_log import GriddedLog
from sigmacount.sets import GroupedQuery, Query, WeightedQuery, WeightedTable, Workload
from tests.core import range_logs
from tests.core.range_logs import alone, drawn, errors, every_range

RNG = np.random.default_rng


def test_a_table_of_a_log_counts_as_its_rows():
    """Grouped or asked one by one, in equal parts, it shapes the same strategies."""
    grid = range_logs.grid_over([9, 3])
    everything = Query.everything(grid.schema)
    table = GroupedQuery(everything, (0, 1))
    logs = [
        [WeightedTable(table, 54.0)],
        [WeightedQuery(cell.query, 2.0) for cell in table.cells()],
    ]

    one, other = (
        tailored(GriddedWorkload.of(grid, w), w.weight, closure([(0, 1)]), 10**9)
        for w in (Workload.of(grid.schema, log) for log in logs)
    )

    assert {s: t.strategy for s, t in one.items()} == {
        s: t.strategy for s, t in other.items()
    }
    assert [t.cost for t in one.values()] == pytest.approx(
        [t.cost for t in other.values()]
    )


def test_what_all_strategies_serve_alike_stays_isotropic():
    """Points, all asked alike, over one attribute; and sets that nobody asked for."""
    workload = alone([np.arange(9) == k for k in range(9)])

    found = tailored(workload, 1e6, [(), (0,)], 10**9)

    assert found[0,].strategy == IsotropicStrategy((9,))
    grid = range_logs.grid_over([9, 4])
    wider = GriddedWorkload(grid, workload.queries, (), 0.0, 0)
    both = tailored(wider, 1e6, [(), (0,), (1,), (0, 1)], 10**9)
    assert both[0, 1].strategy == IsotropicStrategy((9, 4))
    assert both[0, 1].energy == both[0, 1].cost == 0


def test_a_correlated_set_is_weighted_where_its_questions_come_again():
    """A diagonal is far from a product; its energies are those of its covariance."""
    grid = range_logs.grid_over([4, 4])
    table = np.eye(4, dtype=bool)
    workload = GriddedWorkload(grid, {(0, 1): [(table, 1.0)]}, (), 0.0, 0)

    found = tailored(workload, 1e6, closure([(0, 1)]), 10**9)

    best = found[0, 1]
    assert isinstance(best.strategy, WeightedStrategy)
    on = range_logs.energies_on(GriddedLog.of(workload, 1), {(0, 1): best.strategy})
    assert best.energy == pytest.approx(on[0, 1])
    flat = range_logs.isotropic(grid, [(0, 1)])
    assert (
        best.energy
        < 0.5 * range_logs.energies_on(GriddedLog.of(workload, 1), flat)[0, 1]
    )


@pytest.mark.parametrize("rows_max", [10**9, 10**14, 10**16])
def test_numbers_stay_within_int64_for_as_many_rows_as_are_declared(rows_max):
    """Coarser integers for more rows; isotropic ones where none is small enough."""
    rng = RNG(3)
    grid = range_logs.grid_over([12, 9, 2])
    workload = drawn(grid, [1, 1, 0], 60, rng)

    found = tailored(workload, 1e6, closure([(0, 1, 2)]), rows_max)

    shaped = [
        t.strategy
        for t in found.values()
        if not isinstance(t.strategy, IsotropicStrategy)
    ]
    assert shaped
    assert all(s.largest * rows_max < 2**61 for s in shaped)


@pytest.mark.parametrize(
    ("limit", "most"),
    [("MOST_WORK", choice.OVERHEAD + 27), ("MOST_WEIGHTS", 16), ("MOST_FACTORS", 16)],
)
def test_only_so_much_time_and_room_goes_into_strategies(monkeypatch, limit, most):
    """The sets that cost the log most come first; all others stay isotropic."""
    workload = drawn(range_logs.grid_over([4, 4, 4]), [1, 1, 1], 60, RNG(9))
    sets = closure([(0, 1, 2)])
    kind = ProductStrategy if limit == "MOST_FACTORS" else WeightedStrategy
    monkeypatch.setattr(
        choice, "MOST_WORK" if kind is ProductStrategy else "MOST_FACTORS", 0
    )

    many = tailored(workload, 1e6, sets, 10**9)
    monkeypatch.setattr(choice, limit, most)
    few = tailored(workload, 1e6, sets, 10**9)

    assert sum(isinstance(t.strategy, kind) for t in many.values()) > 3
    assert sum(isinstance(t.strategy, kind) for t in few.values()) <= 1


def test_integers_that_lose_a_contrast_are_not_used(monkeypatch):
    """Isotropic ones are, which lose none."""
    monkeypatch.setattr(choice, "FACTOR_ENTRIES", (1,))
    monkeypatch.setattr(choice, "WEIGHT_ENTRIES", (0,))

    found = tailored(alone(every_range(32)), 1e6, [(0,)], 10**9)

    assert found[0,].strategy == IsotropicStrategy((32,))


def test_seven_attributes_of_ranges():
    """A strategy an attribute: a fifth of the error, of questions to come as well."""
    rng = RNG(4)
    grid = range_logs.grid_over([100, 50, 64, 16, 2, 50, 6])
    ordered = [1, 1, 1, 1, 0, 0, 0]
    workload, after = (drawn(grid, ordered, 3000, rng) for _ in range(2))
    sets = closure(workload.queries)

    found = tailored(workload, 3000, sets, 10**9)

    logs = GriddedLog.of(workload, 3000), GriddedLog.of(after, 3000)
    flat, _ = errors(*logs, range_logs.isotropic(grid, sets))
    own, later = errors(*logs, {s: t.strategy for s, t in found.items()})
    assert flat == pytest.approx(1247, rel=0.02)
    assert own == pytest.approx(242, rel=0.02)
    assert later == pytest.approx(264, rel=0.03)


def test_an_attribute_that_no_question_touches_has_no_strategy():
    """Nor does one of two blocks, or of very many."""
    grid = Grid.of(*_with_unused())
    workload = GriddedWorkload(grid, {(0,): [(np.arange(9) < 4, 1.0)]}, (), 0.0, 0)

    shapes = AttributeShapes.of(GriddedLog.of(workload, 9))

    assert set(shapes.information) == {0}
    assert shapes.moments[1].tolist() == [[0.5, 0], [0, 0.5]]


def _with_unused():
    grid = range_logs.grid_over([9, 3, 2])
    return grid.schema, dict(zip(grid.attributes, grid.blocks, strict=True))
