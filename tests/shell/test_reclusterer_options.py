"""The strategy that plans are made by: one that the data set's measure allows."""

from __future__ import annotations

import pytest

from config.settings import InvalidSettings
from sigmacount.continual import ErrorGrowth
from sigmacount.mechanisms import Measure
from workers import clients
from workers.roles.reclusterer import reclusterer_options

PURE = {"budget": 4_000_000, "churn_probability": 0.001}
ZCDP = PURE | {"measure": "zcdp", "delta": 1e-9}


def options(privacy, **recluster):
    """What a reclusterer of the shipped declaration plans with."""
    settings = clients.load_settings(
        general={"dataset": "adult"}, privacy=privacy, recluster=recluster
    )
    return reclusterer_options(settings, clients.load_dataset(settings))


@pytest.mark.parametrize(
    ("privacy", "strategy", "measure"),
    [(PURE, "greedy", Measure.EPSILON), (ZCDP, "optimal", Measure.RHO)],
    ids=["pure", "zcdp"],
)
def test_who_names_no_strategy_has_one_that_plans_in_his_measure(
    privacy, strategy, measure
):
    """Setting the measure is enough to be given plans."""
    found = options(privacy)

    assert (found.strategy, found.plan_budget.measure) == (strategy, measure)


@pytest.mark.parametrize("strategy", ["greedy", "disjoint", "subsets"])
def test_a_strategy_that_splits_epsilon_is_refused_under_zcdp(strategy):
    """What was chosen is never replaced in silence; the words say what to take."""
    with pytest.raises(InvalidSettings, match="take optimal, or leave it unset"):
        options(ZCDP, strategy=strategy)


def test_a_named_strategy_is_taken():
    """In pure ε any of them plans."""
    assert options(PURE, strategy="optimal").strategy == "optimal"
    assert options(PURE, strategy="subsets", subset_size=2).strategy == "subsets:2"


@pytest.mark.parametrize(
    ("privacy", "measure"), [(PURE, Measure.EPSILON), (ZCDP, Measure.RHO)]
)
def test_errors_are_foreseen_for_as_long_as_counters_are_rated(privacy, measure):
    """Under continual alone: elsewhere an epoch errs by what is drawn for it."""
    counted = {k: v for k, v in privacy.items() if k != "churn_probability"}

    found = options(counted | {"rule": "continual", "horizon": 1_024})

    assert found.over_time == ErrorGrowth.of(measure, 1_024)
    assert options(privacy).over_time is None
