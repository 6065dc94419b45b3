"""Noise that is too wide to be counted: the release freezes, and says this."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Continual, Era, Renew
from sigmacount.continual import HORIZONS
from tests.fixtures.continual_steps import counted, life
from tests.fixtures.curator_steps import World
from views.freezing import REASONS, frozen_for

pytestmark = pytest.mark.redis

LONGEST = max(HORIZONS)
CHEAP, DEAR = 100, 10**8  # pico-ρ: σ of 171,000 rows, where 65,536 are held; of 171
DELTA = 1e-9


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def over_time(world):
    """Noise of the plan in force was drawn anew each epoch; now it is to be counted."""
    before = await life(world, rule=Renew(delta=DELTA))
    await before.tick(counted(world.schema, "sex", price=CHEAP), version=1)
    await before.ledger.note(world.tokens, Era("continual", 2).charge)
    return await life(world, rule=Continual(LONGEST, 1.0, delta=DELTA))


async def test_it_is_not_told_as_a_spent_budget(world):
    """There is plenty left; nothing is charged, and the last epoch stays."""
    curator = await over_time(world)
    before = await curator.spent()

    await curator.tick()

    head = await curator.released.head()
    assert (head.epoch, head.frozen) == (1, "noise_too_wide")
    assert await curator.spent() == before


async def test_a_plan_that_spends_more_on_it_is_the_way_out(world):
    """Epochs come again, with its noise."""
    curator = await over_time(world)
    await curator.tick()

    await curator.tick(counted(world.schema, "sex", price=DEAR), version=2)

    head = curator.epochs.head
    assert (head.epoch, head.frozen, curator.epochs.plan.version) == (2, None, 2)


async def test_a_reason_that_changes_is_told_anew(world):
    """What froze it before is no longer what keeps it frozen."""
    curator = await over_time(world)
    await curator.released.freeze(world.tokens, 1, "budget_exhausted")
    curator = await life(world, rule=Continual(LONGEST, 1.0, delta=DELTA))

    await curator.tick()

    assert (await curator.released.head()).frozen == "noise_too_wide"


def test_no_reason_but_a_spent_budget_asks_for_a_larger_one():
    """Raising it is a new promise to people, which mends none of the others."""
    dearer = {r for r in REASONS if "SIGMA_PRIVACY_BUDGET" in frozen_for(r).remedy}

    assert dearer == {"budget_exhausted"}
    assert "log" in frozen_for("of a later version").remedy
