"""A plan at its ticks: the same units, and the noise that they have by then."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.continual import HORIZONS, LaplaceTree, overlap, variance_factor
from sigmacount.contrasts import Grid
from sigmacount.mechanisms import DiscreteGaussian, DiscreteLaplace
from sigmacount.release import (
    Answerers,
    Group,
    Plan,
    covariances,
    ticks_of,
)
from sigmacount.release.answers.router import route
from sigmacount.release.joint.tails import LaplaceTails
from sigmacount.sets import Query
from tests.core.joint_plans import (
    BLOCKS,
    FRESH,
    GRID,
    SCHEMA,
    of_contrasts,
    of_cuts,
    of_groups,
)

HORIZON = 1_024
TREE = LaplaceTree.for_epochs(HORIZON)
TICKS = st.integers(1, 3_000)


def of_gaussian(*units):
    """A plan of algebras that know nothing of each other, each of so many pico-ρ."""
    tables = ((0, 1), (1, 2, 3), (0, 3))
    groups = (
        Group(GRID.algebra(at), DiscreteGaussian.costing(price))
        for at, price in zip(tables, units, strict=False)
    )
    return Plan(1, tuple(groups), FRESH)


def at(plan, *ticks, horizon=HORIZON):
    """The plan with its units at these ticks, in order, the last for all others."""
    pairs = ((u.id, ticks[min(k, len(ticks) - 1)]) for k, u in enumerate(plan.units))
    return plan.aged(dict(pairs), horizon)


PLANS = {
    "algebras": lambda: of_gaussian(10**10, 10**11),
    "contrasts": lambda: of_contrasts((20.0, 30.0)),
    "cuts": of_cuts,
    "noisy tables": of_groups,
}
EACH = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


@EACH
@given(tick=TICKS)
def test_age_changes_no_id_no_price_and_nothing_on_the_wire(plan, tick):
    """A unit is charged and kept by its id: it may not depend on the epoch."""
    plan = plan()

    aged = at(plan, tick)

    assert [u.id for u in aged.units] == [u.id for u in plan.units]
    assert [u.price for u in aged.units] == [u.price for u in plan.units]
    assert (aged, aged.to_wire()) == (plan, plan.to_wire())
    assert aged.published == plan.published


def test_the_overlap_of_a_plan_is_that_of_its_widest_unit():
    """Atoms of an algebra have none; each measurement has its own."""
    plan = of_cuts()

    each = [overlap(unit) for unit in plan.units]

    assert plan.overlap == max(each) > min(each)
    assert {of_groups().overlap, of_gaussian(10**10).overlap} == {0.0}


@EACH
def test_a_plan_read_off_the_wire_ages_like_the_one_that_was_written(plan):
    """Responders have the form and the ticks of the head."""
    plan = plan()
    read = Plan.from_wire(SCHEMA, plan.to_wire())

    for one, other in zip(at(plan, 9).units, at(read, 9).units, strict=True):
        if isinstance(one, Group):
            assert one.variance == other.variance
    if plan.joint and plan.joint.measurements:
        told = [covariances(at(p, 9), p.joint) for p in (plan, read)]
        assert {s: c.variance for s, c in told[0].items()} == {
            s: c.variance for s, c in told[1].items()
        }


@pytest.mark.parametrize("horizon", HORIZONS)
@given(tick=TICKS, units=st.sampled_from([10**8, 10**9, 10**10]))
def test_an_atom_of_a_counter_errs_by_v_of_its_tick(horizon, tick, units):
    """V(t)σ², and what rounding adds: a twelfth of a row² where σ² is 1 and more."""
    plan = of_gaussian(units)
    (static,), (aged,) = plan.groups, at(plan, tick, horizon=horizon).groups
    factor = variance_factor(HORIZONS[horizon], tick)

    share = aged.variance / (factor * static.variance)

    noise = ticks_of(static, HORIZONS[horizon]).scale / 2**20
    assert share == pytest.approx(1 + 1 / (12 * noise**2), rel=1e-9)
    assert aged.total_variance == pytest.approx(aged.variance * aged.algebra.size)


@pytest.mark.parametrize("tick", [1, 7, 12, 50, 1_000])
def test_an_atom_of_a_tree_errs_by_the_blocks_of_its_tick(tick):
    """Each with noise of ε/h; its interval is that of so many draws, exact to 64."""
    plan = of_groups()
    static, aged = plan.groups[0], at(plan, tick).groups[0]

    block = DiscreteLaplace(static.price, TREE.levels)

    many = len(TREE.blocks(tick))
    assert aged.variance == TREE.variance(static.price, tick) == many * block.variance
    assert aged.law.quantile(3, 0.95) == block.quantile(3 * many, 0.95)
    assert aged.law.key != at(plan, tick + 2).groups[0].law.key


def test_units_of_one_plan_have_ages_of_their_own():
    """Pooled by the precision that each has at its own tick: never one common V."""
    plan = of_contrasts((20.0, 20.0 + 2**-20))  # the same noise, but for the id
    alone = [of_contrasts((20.0,)), of_contrasts((20.0 + 2**-20,))]

    aged = at(plan, 1, 50)

    parts = [
        covariances(at(one, tick), one.joint)
        for one, tick in zip(alone, (1, 50), strict=True)
    ]
    for s, found in covariances(aged, aged.joint).items():
        precision = sum(1 / part[s].variance for part in parts)
        assert found.variance == pytest.approx(1 / precision, rel=1e-12)
        ratio = parts[1][s].variance / parts[0][s].variance
        factors = [variance_factor(HORIZONS[HORIZON], t) for t in (50, 1)]
        assert ratio == pytest.approx(factors[0] / factors[1], rel=1e-3)


def test_what_a_unit_draws_at_a_tick_costs_for_ever_what_it_states():
    """On the lattice, one price for groups, one a set for measurements."""
    for plan in (of_gaussian(10**10, 10**8), of_contrasts((20.0, 31.4)), of_cuts()):
        for unit in plan.units:
            for horizon in HORIZONS.values():
                ticks = ticks_of(unit, horizon)
                paid, asked = ticks.price.units, unit.price.units
                assert asked - len(getattr(unit, "parts", ".")) <= paid <= asked


def test_the_unit_of_a_wider_gap_is_not_ranked_by_its_first_noise():
    """Which group answers is a matter of its noise now, the same for all who ask."""
    plan = of_gaussian(10**10, 10**10, 10**10)
    everything = Query.everything(SCHEMA)

    first = route(everything, plan.groups).group
    later = [10**3 if g == first else 1 for g in plan.groups]
    aged = at(plan, *later)

    found = route(everything, aged.groups)
    assert found.group != first
    assert route(everything, plan.groups).group == first
    assert found.variance == found.atoms * found.group.variance


def test_answers_carry_the_error_of_their_epoch():
    """An algebra's answer is the sum of its atoms, each with what it has by then."""
    plan = of_gaussian(10**10)
    noisy = {plan.groups[0].id: np.full(plan.groups[0].algebra.size, 7)}
    everything = Query.everything(SCHEMA)

    def told(plan):
        answer = Answerers().of(plan, noisy, noisy).answer(everything, 0.95)
        return answer.estimate

    for tick in (1, 50):
        aged = at(plan, tick)
        stderr = math.sqrt(aged.groups[0].total_variance)
        assert told(aged).stderr == pytest.approx(stderr)
        assert told(aged).half == math.ceil(1.959963985 * stderr)
        assert aged.groups[0].law.key != plan.groups[0].law.key
    assert told(plan).stderr < told(at(plan, 1)).stderr < told(at(plan, 50)).stderr


def asked(active):
    """Some cells over these attributes."""
    shape = [int(BLOCKS[i].max()) + 1 for i in active]
    table = np.random.default_rng(3).random(shape) < 0.4
    return Query.build(SCHEMA, active, [BLOCKS[i] for i in active], table)


@pytest.mark.parametrize("kind", ["contrasts", "noisy tables"])
def test_where_a_query_lies_is_worked_out_once_for_all_ages(kind, monkeypatch):
    """And its error once an age, when it is asked; older answers keep their own."""
    plan, query, answerers = PLANS[kind](), asked((1, 2)), Answerers()
    worked, own = [], Grid.table_of
    tables = {gid: np.ones(a.size, np.int64) for gid, a in plan.published.items()}

    def watched(self, asked):
        worked.append(asked)
        return own(self, asked)

    monkeypatch.setattr(Grid, "table_of", watched)

    def stderr(answerer):
        return answerer.answer(query, 0.95).estimate.stderr

    by_tick = {t: answerers.of(at(plan, t), tables, tables) for t in (1, 2, 50)}
    shown = {tick: stderr(answerer) for tick, answerer in by_tick.items()}
    again = answerers.of(at(plan, 50), tables, tables)

    assert len(worked) == 1
    assert len(set(shown.values())) == 3
    assert stderr(again) == shown[50]
    for tick, told in shown.items():
        fresh = Answerers().of(at(plan, tick), tables, tables)
        assert stderr(by_tick[tick]) == stderr(fresh) == told


def test_a_tree_of_many_blocks_has_the_tails_of_many_draws():
    """Excess kurtosis of a sum of n draws is an nth of that of one."""
    plan = of_groups(sets=((0, 1),), micro=10**7)
    slots = np.zeros((3, 2))
    slots[0, 0] = 1.0
    group = at(plan, 5).groups[0]

    found = LaplaceTails(plan.joint, (group,)).excess((0, 1), slots)

    blocks = len(TREE.blocks(5))
    block = DiscreteLaplace(group.price, TREE.levels)
    of_one = (3 + 1 / block.variance) / blocks
    assert found == pytest.approx(of_one / group.algebra.size)
