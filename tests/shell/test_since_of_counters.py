"""What changed since, off a whole curator whose noise is counted for ever."""

from __future__ import annotations

import math

import pytest

from sigmacount.accounting import Continual
from sigmacount.continual import LaplaceTree, NoiseWeights
from sigmacount.models import HistoryLimits
from sigmacount.release import ticks_of
from tests.fixtures import copies
from tests.fixtures.continual_steps import HORIZON, counted, life
from tests.fixtures.curator_steps import World, group
from tests.fixtures.in_memory import MemoryConsumer, MemoryPublisher
from tests.fixtures.responder_steps import FEMALE, ResponderSteps, ask
from tests.shell.test_responder_changes import ALL, keeping, since

pytestmark = pytest.mark.redis

EPOCHS, WINDOW = 12, 2


async def lived(world, curator, unit):
    """A responder over so many epochs of one unit."""
    curator.released._limits = HistoryLimits(2 * EPOCHS, 2**20)  # noqa: SLF001 - settings
    await curator.tick(unit, version=1)
    for _ in range(EPOCHS - 1):
        await curator.tick()
    return ResponderSteps(world, curator, MemoryPublisher(), MemoryConsumer())


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def test_counters_tell_a_change_with_less_error_than_a_count(world):
    """By the weights that two ticks do not share; for the promise of any answer."""
    unit = counted(world.schema, "sex")
    steps = await lived(world, await life(world), unit)

    change, count = await steps.answer(since(f"{WINDOW} epochs", FEMALE), ask(FEMALE))

    sigma = ticks_of(unit, HORIZON).scale / 2**20
    apart = NoiseWeights.of(HORIZON).squares_of_difference(EPOCHS, WINDOW)
    assert change.stderr == pytest.approx(math.sqrt((sigma**2 + 1 / 12) * apart))
    assert change.stderr < count.stderr
    assert (change.since_epoch, change.epoch) == (EPOCHS - WINDOW, EPOCHS)
    assert change.guarantee == count.guarantee
    assert change.cost is None
    assert change.interval[1] - change.count == change.count - change.interval[0] > 0


async def test_a_tree_tells_a_change_with_the_blocks_of_one_epoch_alone(world):
    """In pure ε."""
    rule, unit = Continual(HORIZON.epochs, 1.0), group(world.schema, "sex")
    steps = await lived(world, await keeping(world, ALL, rule=rule), unit)

    [change] = await steps.answer(since(f"{WINDOW} epochs", FEMALE))

    tree = LaplaceTree.for_epochs(HORIZON.epochs)
    then, now = (tree.blocks(t).items() for t in (EPOCHS - WINDOW, EPOCHS))
    variance = len(then ^ now) * tree.noise(unit.price).variance
    assert change.stderr == pytest.approx(math.sqrt(variance))
    assert change.since_epoch == EPOCHS - WINDOW


async def test_a_unit_that_another_plan_left_out_tells_changes_when_it_is_back(world):
    """Its counter stood still meanwhile: only its own ticks are between."""
    sex, job = counted(world.schema, "sex"), counted(world.schema, "job")
    steps = await lived(world, await life(world), sex)
    await steps.curator.tick(job, version=2)
    await steps.curator.tick(sex, version=3)

    [change] = await steps.answer(since(EPOCHS, FEMALE))

    sigma = ticks_of(sex, HORIZON).scale / 2**20
    apart = NoiseWeights.of(HORIZON).squares_of_difference(EPOCHS + 1, 1)
    assert change.stderr == pytest.approx(math.sqrt((sigma**2 + 1 / 12) * apart))
    assert (change.since_epoch, change.epoch) == (EPOCHS, EPOCHS + 2)


@pytest.mark.parametrize("more", [2, EPOCHS + 2])
async def test_no_change_is_told_since_noise_was_lost(world, more):
    """What was begun anew shares nothing with it, whatever its tick is by then."""
    unit = counted(world.schema, "sex")
    steps = await lived(world, await life(world), unit)
    await copies.lost(world.redis, world.keys, "noise}:count")
    await copies.restored(world)
    curator = await life(world)
    curator.released._limits = HistoryLimits(4 * EPOCHS, 2**20)  # noqa: SLF001
    for _ in range(more):
        await curator.tick()
    steps = ResponderSteps(world, curator, MemoryPublisher(), MemoryConsumer())

    early, later = await steps.answer(since(EPOCHS, FEMALE), since(EPOCHS + 1, FEMALE))

    assert early.error.code == "since_too_early"
    assert later.since_epoch == EPOCHS + 1
