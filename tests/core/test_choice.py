"""A choice of clusters is assigned, split and scored as the formulas say."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sigmacount.accounting import PAPER, PARALLEL
from sigmacount.planner import least_error
from sigmacount.planner.choice import Choice, ClusterChange
from sigmacount.planner.objective import Objective
from sigmacount.sets import Workload
from tests.core.priced import options
from tests.core.tiny import SCHEMA, groups, logs

rules = st.sampled_from([PARALLEL, PAPER])
kept = st.lists(groups, max_size=2, unique=True)


@st.composite
def choices(draw):
    """Some clusters for some log, beside some groups that are kept."""
    demand = Workload.of(SCHEMA, draw(logs))
    terms = options(draw(st.integers(10_000, 10**6)), 20_000, draw(rules))
    objective = Objective.of(demand, terms, draw(kept))
    masks = st.integers(0, objective.everything)
    return Choice.of(objective, draw(st.lists(masks, max_size=4)))


def homes(choice):
    """The cheapest home of each shape by trying all: (price, cluster), K for none."""
    every = range(len(choice.clusters))
    return [
        min(
            (alone, len(choice.clusters)),
            *[(choice.price[k], k) for k in every if choice.holds[k, n]],
        )
        if any(choice.holds[:, n])
        else (alone, len(choice.clusters))
        for n, alone in enumerate(choice.objective.threshold.tolist())
    ]


@given(choice=choices())
def test_every_shape_goes_where_it_is_cheapest(choice):
    """Prices of homes that tie may name either."""
    found = choice.ranking

    expected = [price for price, _ in homes(choice)]
    assert found.price.tolist() == expected


@given(choice=choices())
def test_the_score_is_the_least_error_at_equal_epsilon(choice):
    """Clusters at their best split; the others as they are kept, or fresh."""
    objective = choice.objective
    alone = choice.ranking.first == len(choice.clusters)
    prices = choice.volume if objective.terms.rule is PAPER else None

    error = least_error(objective.epsilon, choice.errors, prices)
    error += objective.otherwise[alone].sum()

    charge = objective.charge[alone].sum() / objective.terms.budget.units
    assert choice.score == pytest.approx(error * (1 + charge) ** 2)


@given(choice=choices())
def test_a_shape_is_fresh_only_when_nothing_holds_it(choice):
    """Whatever a cluster asks, a fresh query asks more."""
    alone = choice.ranking.first == len(choice.clusters)

    assert not choice.holds[:, alone & (choice.objective.charge > 0)].any()


@given(choice=choices())
def test_settling_never_makes_it_worse(choice):
    """Assignment and split, each the best for the other, taken in turns."""
    assert choice.settled().score <= choice.score * (1 + 1e-9)


@given(choice=choices(), data=st.data())
def test_a_trial_promises_no_more_than_the_change_keeps(choice, data):
    """It is an upper bound: the change settles what the trial left as it was."""
    if not choice.clusters:
        return  # an empty log: there is nothing to change
    index = st.integers(0, len(choice.clusters) - 1)
    new = {*range(choice.objective.everything + 1)} - {*choice.clusters}
    masks = st.sampled_from(sorted(new)) if new else st.nothing()
    drop, add = data.draw(st.none() | index), data.draw(st.none() | masks)
    change = ClusterChange(drop, add, data.draw(index))

    trial = choice.trial(change)
    changed = choice.changed(change, trial)

    assert changed.score <= trial.score * (1 + 1e-9)
    wanted = {cluster for k, cluster in enumerate(choice.clusters) if k != drop} | {add}
    assert set(changed.clusters) <= wanted


@given(log=logs)
def test_a_table_of_everything_leaves_nothing_fresh(log):
    """One cluster, and its score is that of one algebra."""
    objective = Objective.of(Workload.of(SCHEMA, log), options(10**6, 20_000))
    assume(len(objective.masks))

    choice = Choice.of(objective, [objective.everything] * 2)

    atoms = objective.volume(objective.everything) * objective.fraction.sum()
    assert choice.score == pytest.approx(2 * atoms)
    assert choice.atoms == objective.volume(objective.everything)


@given(log=logs, among=st.lists(groups, min_size=1, max_size=2, unique=True))
def test_what_kept_groups_hold_draws_nothing(log, among):
    """Only shapes that none of them holds are fresh."""
    demand = Workload.of(SCHEMA, log)
    objective = Objective.of(demand, options(10**6, 20_000), among)

    held = np.isfinite([demand.atoms_in(group.algebra) for group in among]).any(axis=0)

    assert ((objective.charge == 0) == held).all()
