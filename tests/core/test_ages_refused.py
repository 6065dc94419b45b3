"""What is no age of a plan's units, and what cannot be counted for ever."""

import pytest

from sigmacount.continual import HORIZONS, LAST_TICK
from sigmacount.errors import InvalidPlan
from sigmacount.release import ticks_of
from tests.core.joint_plans import of_contrasts, of_groups
from tests.core.test_ages import EACH, HORIZON, at, of_gaussian


@EACH
def test_a_unit_without_a_tick_is_refused(plan):
    """A head that does not name it is not of this plan."""
    plan = plan()
    ticks = {unit.id: 3 for unit in plan.units[:-1]}

    told = f"at which tick it shows unit {plan.units[-1].id}"
    with pytest.raises(InvalidPlan, match=told):
        plan.aged(ticks, HORIZON)


@pytest.mark.parametrize("tick", [0, -1, LAST_TICK + 1, 1.0, True, "1"])
def test_a_tick_that_no_counter_has_is_refused(tick):
    """What a head says is read with suspicion."""
    with pytest.raises(InvalidPlan, match="a tick from 1 to"):
        at(of_contrasts(), tick)


@pytest.mark.parametrize("horizon", [0, -5, 2.5, True])
def test_a_horizon_of_no_epoch_is_refused(horizon):
    """The same."""
    with pytest.raises(InvalidPlan, match="at least one epoch"):
        at(of_contrasts(), 1, horizon=horizon)


def test_noise_too_wide_for_the_horizon_is_refused():
    """In words that say what helps; nothing was charged."""
    for act in (lambda p: at(p, 1, horizon=4_194_304), ticks):
        with pytest.raises(InvalidPlan, match="spend more, or take a shorter horizon"):
            act(of_gaussian(1))


def ticks(plan):
    """What its only unit would draw."""
    return ticks_of(plan.units[0], HORIZONS[4_194_304])


def test_only_gaussian_noise_is_counted_with_feedback():
    """Laplace noise has the tree; what is neither has nothing."""
    with pytest.raises(InvalidPlan, match="cannot be counted"):
        ticks_of(of_groups().units[0], HORIZONS[128])
