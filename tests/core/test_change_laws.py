"""What two epochs do not have in common: the law of the noise in their difference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.continual import HORIZONS, LaplaceTree, variance_factor_of_change
from sigmacount.continual.tree import SHAPES
from sigmacount.contrasts import DenseCovariance, IsotropicCovariance
from sigmacount.errors import InvalidPlan
from sigmacount.release import Ages, covariances, ticks_of
from sigmacount.release.changes import (
    NoiseBetween,
    RepeatedLaw,
    TicksBetween,
    change_covariances,
)
from sigmacount.release.changes.pooling import _Measured, _pooled
from tests.core.joint_plans import of_groups
from tests.core.test_ages import HORIZON, PLANS, TREE, of_gaussian
from tests.core.test_net_changes import between

EACH = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


@pytest.mark.parametrize("horizon", HORIZONS)
@given(then=st.integers(1, 3_000), window=st.integers(1, 500))
def test_a_change_errs_by_what_the_two_ticks_do_not_share(horizon, then, window):
    """(σ² + 1/12)·Σ(b_j − b_{j−w})²: the factor of the change, per unit of 1/(2ρ)."""
    plan = of_gaussian(10**9)
    (group,), now = plan.groups, then + window
    law = between(plan, then, now, horizon).apart.law(group.id, group.mechanism)

    factor = variance_factor_of_change(HORIZONS[horizon], now, window)

    noise = ticks_of(group, HORIZONS[horizon]).scale / 2**20
    wanted = factor * group.variance * (1 + 1 / (12 * noise**2))
    assert law.variance == pytest.approx(wanted, rel=1e-9)


def test_a_change_is_told_with_less_error_than_a_count():
    """Of one epoch, an hour of tens, a day of hours: that is what it is for."""
    plan = of_gaussian(10**9)
    group = plan.groups[0]

    for now, window in ((400, 1), (400, 24), (1_000, 360)):
        noise = between(plan, now - window, now)
        change = noise.apart.law(group.id, group.mechanism).variance
        count = noise.now.law(group.id, group.mechanism).variance
        assert change < (0.5 if window == 1 else 1.0) * count * 2


@pytest.mark.parametrize("radices", [radices for _, radices in SHAPES if radices])
@given(ticks=st.lists(st.integers(1, 9_000), min_size=2, max_size=2, unique=True))
def test_no_block_of_a_tree_turns_its_sign(radices, ticks):
    """So the noise of a change is that of the blocks which one epoch alone has."""
    tree = LaplaceTree(radices)
    then, now = map(tree.blocks, sorted(ticks))

    weights = [now.get(b, 0) - then.get(b, 0) for b in {*then, *now}]

    assert {*weights} <= {-1, 0, 1}
    assert any(weights)


@pytest.mark.parametrize(("then", "now"), [(1, 2), (11, 13), (5, 200), (12, 24)])
def test_a_change_under_a_tree_has_the_noise_of_the_blocks_of_one_epoch_alone(
    then, now
):
    """Each with noise of ε/h; its interval is that of so many draws."""
    plan = of_groups()
    group = plan.groups[0]

    law = between(plan, then, now).apart.law(group.id, group.mechanism)

    before, after = TREE.blocks(then), TREE.blocks(now)
    apart = [b for b in {*before, *after} if before.get(b, 0) != after.get(b, 0)]
    block = TREE.noise(group.price)
    assert law.variance == len(apart) * block.variance
    assert law.quantile(3, 0.95) == block.quantile(3 * len(apart), 0.95)


def test_noise_that_is_drawn_anew_is_in_a_change_twice():
    """Its interval is that of twice as many draws."""
    plan = of_groups()
    group = plan.groups[0]
    noise = NoiseBetween.drawn_anew()

    law = noise.apart.law(group.id, group.mechanism)

    assert (noise.then, noise.now, law) == (None, None, RepeatedLaw(group.mechanism, 2))
    assert law.variance == 2 * group.variance
    assert law.quantile(3, 0.9) == group.mechanism.quantile(6, 0.9)
    assert group.mechanism.key in law.key


@pytest.mark.parametrize(("then", "now"), [({}, {"u": 3}), ({"u": 3}, {"u": 3})])
def test_a_unit_that_did_not_tick_between_tells_no_change(then, now):
    """Or one that only one of the two epochs showed."""
    noise = TicksBetween(Ages(HORIZON, then), Ages(HORIZON, now))

    with pytest.raises(InvalidPlan, match="did not tick"):
        noise.law("u", of_gaussian(10**9).groups[0].mechanism)


@EACH
def test_where_all_units_are_of_one_age_the_errors_are_those_of_the_change(plan):
    """Units are weighed alike at both epochs: their old noise cancels as one's does."""
    plan = plan()
    if plan.joint is None:
        return
    noise = between(plan, 7, 40)
    alone = change_covariances(plan, plan.joint, noise)

    pooled = plan.under(noise.apart)

    for s, wanted in covariances(pooled, plan.joint).items():
        assert alone[s].matrix() == pytest.approx(wanted.matrix(), rel=1e-2)


scales = st.floats(0.1, 10)


@given(
    units=st.lists(
        st.tuples(scales, scales, st.floats(0.01, 1)), min_size=1, max_size=4
    )
)
def test_what_units_weigh_differently_at_both_epochs_stays_in_the_difference(units):
    """As the 2n noises of n units, all with their covariances, say it."""
    joined, weights, measured = [], [], []
    for then, now, share in units:
        low = (math.sqrt(then) - math.sqrt(now)) ** 2
        high = (math.sqrt(then) + math.sqrt(now)) ** 2
        apart = low + share * (high - low)
        joined.append((then, now, (then + now - apart) / 2))
        made = (IsotropicCovariance(v, 2) for v in (then, now, apart))
        measured.append(_Measured(*made))
    for k in (0, 1):
        precision = np.array([1 / each[k] for each in joined])
        weights.append(precision / precision.sum())

    found, of = _pooled(measured), np.array(joined)

    w, v = weights
    wanted = (w**2 * of[:, 0] + v**2 * of[:, 1] - 2 * w * v * of[:, 2]).sum()
    assert found.variance == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    dense = [_Measured(*(DenseCovariance(c.matrix()) for c in m)) for m in measured]
    dense.append(_Measured(*(DenseCovariance(np.diag([1e9, 2e9])) for _ in range(3))))
    assert _pooled(dense).matrix() == pytest.approx(found.matrix(), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(("then", "now"), [(400, 1), (400, 500), (7, 7)])
@pytest.mark.parametrize("make", [of_gaussian, of_groups], ids=["counters", "tree"])
def test_a_unit_that_began_anew_shares_no_noise_with_what_it_was(make, then, now):
    """All that the count then had and all that it has now is in the change."""
    plan = make(10**9) if make is of_gaussian else make()
    group = plan.groups[0]
    ticks = ({u.id: t for u in plan.units} for t in (then, now))
    noise = NoiseBetween.ticks(1_024, *ticks, ({group.id: 0}, {group.id: 9}))

    before, after, change = (
        aging.law(group.id, group.mechanism).variance for aging in noise
    )

    assert change == pytest.approx(before + after, rel=1e-12)
    if now <= then and plan.units[1:]:
        with pytest.raises(InvalidPlan):
            noise.apart.law(plan.units[1].id, plan.units[1].mechanism)
