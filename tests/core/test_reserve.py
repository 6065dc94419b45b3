"""The reserve: questions that nobody asked yet find tables, and cost the log little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sigmacount import Attribute, Schema
from sigmacount.contrasts import Grid, GriddedWorkload
from sigmacount.fitting import bits_of
from sigmacount.language import parse
from sigmacount.mechanisms import Amount, DiscreteGaussian
from sigmacount.planner import Optimal, PlanOptions, propose
from sigmacount.planner.joint import coverage
from sigmacount.planner.joint.coverage import JointLimits, countable, reserved
from sigmacount.planner.joint.forecasting import forecast_of, forecast_of_unasked
from sigmacount.planner.joint.prior import prior_on
from sigmacount.sets import WeightedQuery, Workload
from tests.core.grids import GRID, gridded
from tests.core.priced import options
from tests.core.tiny import SCHEMA

ZCDP = PlanOptions(Amount.zcdp(10**10), DiscreteGaussian.costing(10**8))
PURE = options(1_000_000, 20_000)
LOG = [
    WeightedQuery(parse(SCHEMA, "a = 'a0' AND d = 'd0'"), 50.0),
    WeightedQuery(parse(SCHEMA, "b = 'b0' AND c = 'c0'"), 40.0),
]
APART = Workload.of(SCHEMA, [WeightedQuery(parse(SCHEMA, "a = 'a0' AND b = 'b0'"))])


def test_questions_on_blocks_are_of_four_kinds():
    """Tables over one and two attributes; ranges of what has an order, and beside."""
    ages = Attribute.binned("age", "integer", range(0, 70, 10), nullable=True)
    sexes = Attribute.categorical("sex", ["f", "m"])
    schema = Schema("people", (ages, sexes))
    ordered = np.array([0, 0, 1, 1, 2, 2, 3])  # the last level is that of no age
    grid = Grid.of(schema, {0: ordered, 1: np.arange(2)})
    listed = Grid.of(schema, {0: np.array([0, 1, 0, 1, 2, 2, 3]), 1: np.arange(2)})

    found, unordered = prior_on(grid, 0.5), prior_on(listed, 0.5)

    weights = [float(chunk.weights.sum()) for chunk in found.chunks()]
    assert sum(weights) == pytest.approx(0.5)
    ranges = {tuple(table.tolist()) for table, _ in found.queries[0,]}
    assert ranges == {
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
        (True, True, False, False),
        (False, True, True, False),
    }
    assert len(found.rows) == 3 + len(ranges)
    assert not unordered.queries
    assert {rows.active for rows in unordered.rows} == {(0,), (1,), (0, 1)}


def test_what_nobody_asked_finds_tables_and_the_log_pays_little():
    """Of Gaussian noise; without the reserve it is fresh."""
    without = propose(SCHEMA, LOG, ZCDP, grouping=Optimal())

    made = propose(SCHEMA, LOG, replace(ZCDP, unasked=0.01), grouping=Optimal())

    assert forecast_of(APART, without.plan, ZCDP).fresh == 1
    assert forecast_of(APART, made.plan, ZCDP).fresh == 0
    seen = forecast_of_unasked(made.plan, made.plan.joint)
    assert seen.weight == pytest.approx(1)
    assert without.then.error < made.then.error < 1.1 * without.then.error
    assert made.then.error == pytest.approx(made.plan.joint.sd**2)
    assert seen.error < ZCDP.fresh.variance
    assert "100.0% of them are held" in made.explanation[-1]
    assert not [line for line in without.explanation if "reserve" in line]


def test_more_weight_makes_them_more_exact():
    """At the expense of the log."""
    little, much = (
        propose(SCHEMA, LOG, replace(ZCDP, unasked=weight), grouping=Optimal())
        for weight in (0.001, 0.1)
    )

    errors = [forecast_of_unasked(m.plan, m.plan.joint).error for m in (little, much)]
    assert errors[1] < errors[0] / 2
    assert much.then.error > little.then.error


def test_laplace_noise_is_spent_on_the_log_alone():
    """What its tables tell anyway is published; the rest stays fresh."""
    without, made = (
        propose(SCHEMA, LOG, terms, grouping=Optimal())
        for terms in (PURE, replace(PURE, unasked=0.01))
    )

    assert made.groups == without.groups
    assert made.then.error == pytest.approx(without.then.error)
    for table in made.plan.joint.tables:
        assert any(set(table) <= set(g.algebra.attributes) for g in made.groups)


def test_a_table_that_tells_more_than_was_asked_is_read_for_the_rest():
    """One noisy table over three attributes, of which two pairs were asked for."""
    texts = ["a = 'a0' AND b = 'b0'", "b = 'b0' AND d = 'd0'"]
    log = [WeightedQuery(parse(SCHEMA, text)) for text in texts]
    least = replace(PURE, max_groups=1)

    made = propose(SCHEMA, log, replace(least, unasked=0.01), grouping=Optimal())

    assert [group.algebra.attributes for group in made.groups] == [(0, 1, 3)]
    assert made.plan.joint.tables == ((0, 1), (0, 3), (1, 3))
    assert forecast_of_unasked(made.plan, made.plan.joint).weight == pytest.approx(1)


def test_the_log_goes_before_what_nobody_asked(monkeypatch):
    """Sets that do not fit beside it, or not in whole numbers, are left out."""
    log = gridded([WeightedQuery(parse(GRID.schema, "a = 'a0' and c = 'c0'"))])
    asked, energy = countable(log, 1.0, 1_000)
    everything = reserved(asked, energy, 0.01, 1.0, 1_000)

    many = 2**47  # rows: of more, the log itself does not fit
    few = reserved(asked, energy, 0.01, 1.0, many)
    monkeypatch.setattr(coverage, "JointLimits", lambda: JointLimits(cells=24))
    small = reserved(asked, energy, 0.01, 1.0, 1_000)

    assert len(everything.active_sets) == 4 + 6
    assert (1, 2) in everything.active_sets
    assert (1, 2) not in few.active_sets
    assert few.active_sets
    assert (1, 2) not in small.active_sets
    assert reserved(asked, energy, 0.0, 1.0, 1_000).active_sets == frozenset()


def test_tables_that_fit_by_themselves_may_not_fit_together():
    """One needs the finer units, and the other has the more cells."""
    names = [("a", 2), ("b", 2), ("c", 2), ("d", 3), ("e", 3)]
    levels = [(n, [f"{n}{k}" for k in range(size)]) for n, size in names]
    schema = Schema("many", tuple(Attribute.categorical(*each) for each in levels))
    grid = Grid.of(schema, {i: np.arange(size) for i, (_, size) in enumerate(names)})
    text = "a = 'a0' AND b = 'b0' AND c = 'c0'"
    log = Workload.of(schema, [WeightedQuery(parse(schema, text))])
    own, other = (0, 1, 2), (3, 4)
    sd = next(
        sd
        for sd in np.geomspace(1, 2, 200).tolist()
        if bits_of(grid, [own], sd, 1) > bits_of(grid, [other], sd, 1)
    )
    rows = 2**62 // (8 << bits_of(grid, [own], sd, 1)) - 1
    rho = 1 / (2 * (coverage.FINER * sd) ** 2)

    found = reserved(GriddedWorkload.of(grid, log), {(): 1.0}, 0.01, rho, rows)

    assert bits_of(grid, [other], sd, rows) < bits_of(grid, [own], sd, rows)
    assert other not in found.active_sets
    assert (0, 3) in found.active_sets
