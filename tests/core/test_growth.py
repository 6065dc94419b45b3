"""How far counts that are published for ever err beside ones that are shown once."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sigmacount.continual import (
    HORIZONS,
    ErrorGrowth,
    LaplaceTree,
    mean_variance_factor,
    variance_factor,
)
from sigmacount.fitting import Fit
from sigmacount.mechanisms import Amount, DiscreteGaussian, Measure, noise_costing
from sigmacount.planner import PlanOptions, compared_families, propose
from sigmacount.planner.joint.forecasting import forecast_of
from sigmacount.planner.strategies import Optimal
from sigmacount.release import EpochMaker, clamp
from sigmacount.release.joint import whole
from sigmacount.sets import WeightedQuery, Workload
from tests.core.joint_plans import drawn, of_contrasts, of_groups, rows_of, tallies_of
from tests.core.priced import options
from tests.core.test_ages import asked, at
from tests.core.tiny import SCHEMA, binary


@pytest.mark.parametrize("horizon", HORIZONS.values(), ids=str)
def test_counters_err_by_v(horizon):
    """V(1) first, the mean of the page's table, and V(T) at last."""
    found = ErrorGrowth.of(Measure.RHO, horizon.epochs)

    assert found.first == variance_factor(horizon, 1)
    assert found.mean == mean_variance_factor(horizon, horizon.epochs)
    assert found.last == variance_factor(horizon, horizon.epochs)


@pytest.mark.parametrize("epochs", [1, 16, 64, 100, 256, 1_024, 4_096])
def test_a_tree_errs_by_its_levels_squared_times_its_blocks(epochs):
    """Each epoch's blocks are as many as the tree says of it."""
    tree = LaplaceTree.for_epochs(epochs)

    found = ErrorGrowth.of(Measure.EPSILON, epochs)

    blocks = [len(tree.blocks(t)) for t in range(1, epochs + 1)]
    assert found.first == tree.levels**2
    assert found.mean == pytest.approx(tree.levels**2 * np.mean(blocks))
    assert found.last == tree.levels**2 * blocks[-1]


@pytest.mark.parametrize("price", [Amount.pure(500_000), Amount.pure(8_000_000)])
def test_at_a_price_the_noise_of_a_tree_is_that_of_its_blocks(price):
    """To the last digit, also where noise is about a row wide and h² is too little."""
    tree, once = LaplaceTree.for_epochs(256), noise_costing(price).variance

    found = ErrorGrowth.of(Measure.EPSILON, 256, price)

    each = [tree.variance(price, t) / once for t in range(1, 257)]
    assert found.mean == pytest.approx(np.mean(each))
    assert (found.first, found.last) == pytest.approx((each[0], each[-1]))
    assert found.first > 1.001 * ErrorGrowth.of(Measure.EPSILON, 256).first


def test_a_year_of_ten_seconds_is_worked_out_at_once():
    """Four levels over four million epochs."""
    found = ErrorGrowth.of(Measure.EPSILON, 3_155_760)

    assert np.sqrt(2 * found.mean) == pytest.approx(37.8, rel=0.01)


LOG = [WeightedQuery(asked((1, 2))), WeightedQuery(asked((0, 1)), 3.0)]


@pytest.mark.parametrize("grouping", [Optimal(), None])
def test_a_proposal_says_its_errors_at_the_rated_horizon(grouping):
    """All of them by one factor, so that the same plan is proposed, in new words."""
    still = options(10**6, 10**5)
    terms = replace(still, over_time=ErrorGrowth.of(Measure.EPSILON, 1_024))
    kinds = {} if grouping is None else {"grouping": grouping}

    one, other = (propose(SCHEMA, LOG, each, **kinds) for each in (still, terms))

    assert one.plan.units == other.plan.units
    assert other.then.error == pytest.approx(one.then.error * terms.over_time.mean)
    told = "\n".join(other.explanation)
    assert "means at the rated horizon of 1,024 epochs" in told
    assert "9 times that" in told
    assert "rated horizon" not in "\n".join(one.explanation)


def test_a_fresh_question_is_told_first_with_its_first_noise():
    """And compared with tables as if it were asked in every epoch."""
    plan, demand = of_contrasts(), Workload.of(SCHEMA, [WeightedQuery(asked((0, 2)))])
    still = PlanOptions(Amount.zcdp(10**12), DiscreteGaussian.costing(10**10))
    terms = replace(still, over_time=ErrorGrowth.of(Measure.RHO, 8_192))

    one, other = (forecast_of(demand, plan, each) for each in (still, terms))

    assert one.fresh == other.fresh == 1
    assert other.error == pytest.approx(one.error * terms.over_time.mean)
    first = variance_factor(HORIZONS[128], 1)
    assert terms.fresh_error == pytest.approx(still.fresh_error * first)


def test_families_are_compared_for_as_many_epochs():
    """Counted over a year in hours contrasts win where tables do for one answer."""
    demand, still = Workload.of(*binary(10, 20_000)), options(10**6, 20_000)
    terms = replace(still, over_time=ErrorGrowth.of(Measure.EPSILON, 8_766))

    once, found = (compared_families(demand, t, 10**6, 1e-9) for t in (still, terms))

    tree, counters = (
        ErrorGrowth.of(m, 8_766).mean for m in (Measure.EPSILON, Measure.RHO)
    )
    assert found.laplace == pytest.approx(once.laplace * tree)
    assert found.gaussian == pytest.approx(once.gaussian * counters)
    assert (once.better.name, found.better.name) == ("LAPLACE", "GAUSSIAN")
    assert "means over 8,766 epochs that cost one charge" in "\n".join(found.lines())


def test_a_fit_is_made_anew_when_its_noise_has_doubled(monkeypatch):
    """It stops as near as the noise deserves: for 2V it is √2 times as far away."""
    made, plan, maker = [], of_contrasts(), EpochMaker(clamp)
    rows, noise = tallies_of(plan, rows_of()), drawn(plan)
    monkeypatch.setattr(whole, "Fit", lambda *of: made.append(of[3]) or Fit(*of))

    for tick in (None, 1, 2, 3, 1_000, 4):
        maker.arrays(plan if tick is None else at(plan, tick), rows, noise)

    factors = [1, *(variance_factor(HORIZONS[1_024], tick) for tick in (1, 1_000))]
    doublings = [round(math.log2(each)) for each in factors]
    assert made == [plan.joint.sd * math.sqrt(2.0**n) for n in doublings]


def test_tables_grow_by_the_blocks_of_their_trees(monkeypatch):
    """Noise that shrinks again leaves the fit as it is."""
    made, plan, maker = [], of_groups(), EpochMaker(clamp)
    rows, noise = tallies_of(plan, rows_of()), drawn(plan)
    monkeypatch.setattr(whole, "Fit", lambda *of: made.append(of[3]) or Fit(*of))

    for tick in (6, 12, 6):
        maker.arrays(at(plan, tick), rows, noise)

    growths = [at(plan, 6).groups[0].variance / plan.groups[0].variance]
    doublings = [round(math.log2(each)) for each in growths]
    assert made == [plan.joint.sd * math.sqrt(2.0**n) for n in doublings]
