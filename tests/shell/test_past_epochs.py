"""Past epochs: which a served one is compared with, and what they were made of."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from sigmacount.errors import SinceTooEarly, StoreUnavailable
from sigmacount.release import NoiseBetween, SinceWhen
from store.releases.history import History
from store.releases.released import Head, Released
from tests.core.joint_plans import SCHEMA, of_contrasts
from tests.core.test_ages import of_gaussian
from tests.fixtures.curator_steps import World
from tests.fixtures.in_memory import MemoryConsumer, MemoryPublisher
from tests.fixtures.responder_steps import FEMALE, ResponderSteps
from tests.fixtures.standing import standing
from tests.fixtures.until import eventually
from tests.shell.test_responder_changes import ALL, Sevens, since, steps_of
from workers.answering.changes.past_epochs import MOST_PAIRS, PastEpochs

pytestmark = pytest.mark.redis


async def published(redis, keys, *epochs):
    """A responder over epochs: plan, ticks of its units, and a number for each atom."""
    released = Released(redis, keys, ALL)
    for epoch, (plan, ticks, number) in enumerate(epochs, 1):
        arrays = {
            gid: np.full(a.size, number, np.int64) for gid, a in plan.published.items()
        }
        about = {"rule": "continual", "made_of": plan.made_of, "horizon": 1_024}
        about["ticks"] = {unit.id: ticks for unit in plan.units}
        made = Head(epoch, 1, 1_000 * epoch, tuple(arrays), plan.to_wire(), about)
        await released.publish(1, made, {"noisy": arrays, "counts": arrays})
    world = World(redis, keys, SCHEMA)
    curator = SimpleNamespace(released=released)
    return ResponderSteps(world, curator, MemoryPublisher(), MemoryConsumer())


async def test_under_counters_a_change_errs_by_the_ticks_between(redis, keys):
    """Much less than two counts would: what they share is not in it."""
    plan = of_gaussian(10**9)
    [made] = plan.groups
    steps = await published(redis, keys, (plan, 399, 5), (plan, 400, 3))

    [answer] = await steps.answer(since("1 epoch"))

    noise = NoiseBetween.ticks(1_024, {made.id: 399}, {made.id: 400})
    law = noise.apart.law(made.id, made.mechanism)
    assert answer.count == -2 * made.algebra.size
    assert answer.stderr == pytest.approx(math.sqrt(made.algebra.size * law.variance))
    aged = plan.aged({made.id: 400}, 1_024).groups[0]
    assert law.variance < aged.variance


async def test_tables_of_one_joint_plan_tell_changes_and_of_two_plans_none(redis, keys):
    """What was measured then and now must be the same noise, weighed alike."""
    first, second = of_contrasts((20.0,)), of_contrasts((20.0, 30.0))
    unit = 1 << second.joint.bits
    steps = await published(
        redis, keys, (first, 3, 8), (second, 1, 8 * unit), (second, 2, 88 * unit)
    )

    found = await steps.answer(since(1), since(2))

    assert found[0].error.code == "plan_changed"
    assert "since epoch 2, of 1970-01-01T00:00:02" in found[0].error.message
    assert (found[1].count, found[1].since_epoch) == (80, 2)


async def test_few_pairs_of_epochs_are_kept_in_memory(redis, keys):
    """Each is as large as a release: whoever asks for all of them fills nothing."""
    plan = of_gaussian(10**9)
    await published(redis, keys, *((plan, tick, tick) for tick in range(1, 8)))
    released = Released(redis, keys)
    past, head = PastEpochs(released.history, SCHEMA), await released.head()

    for epoch in (1, 2, 3, 4, 5, 6, 5):
        found = await past.compared(head, SinceWhen("epoch", epoch))
        assert found.then.epoch == epoch

    assert len(past._pairs) == MOST_PAIRS  # noqa: SLF001 - what nobody sees


async def test_an_epoch_that_leaves_while_it_is_read_is_looked_for_again(
    redis, keys, monkeypatch
):
    """Then it is too early; and a history that never holds still is asked later."""
    plan, gone = of_gaussian(10**9), []
    await published(redis, keys, (plan, 1, 1), (plan, 2, 2))
    released = Released(redis, keys)
    past, head = PastEpochs(released.history, SCHEMA), await released.head()
    read = History.numbers

    async def once(self, epoch):
        gone.append(epoch)
        return None if len(gone) == 1 else await read(self, epoch)

    monkeypatch.setattr(History, "numbers", once)
    assert (await past.compared(head, SinceWhen("epoch", 1))).then.epoch == 1

    async def never(_self, _epoch):
        return None

    monkeypatch.setattr(History, "numbers", never)
    again = PastEpochs(released.history, SCHEMA)
    with pytest.raises(StoreUnavailable, match="faster than they are read"):
        await again.compared(head, SinceWhen("epoch", 1))


async def test_an_epoch_that_is_no_longer_served_tells_nothing_of_another(redis, keys):
    """After a store went back its number may be another epoch's."""
    plan = of_gaussian(10**9)
    await published(redis, keys, (plan, 1, 1), (plan, 2, 2))
    released = Released(redis, keys)
    head = await released.head()
    other = Head(2, 1, head.as_of_ms, head.groups, head.plan, head.about, None, "x")

    with pytest.raises(SinceTooEarly, match="kept is 2,"):
        await PastEpochs(released.history, SCHEMA).compared(
            other, SinceWhen("epochs", 1)
        )


async def test_a_standing_question_tells_in_each_epoch_what_changed_since(redis, keys):
    """A window that moves on: of so many epochs, or of so long."""
    steps = await steps_of(redis, keys, draw=Sevens)

    async with steps.running():
        women = standing("women", FEMALE, since="1 epoch", v=2)
        steps.standing.add(women, standing("ever", FEMALE, since=1, v=2))
        await eventually(lambda: len(steps.results) == 2)
        await steps.world.change(eva=None)
        await steps.curator.tick()
        await eventually(lambda: len(steps.results) == 4)

    told = sorted((a.epoch, a.name, a.since_epoch, a.count) for a in steps.results)
    assert told == [
        *((2, "ever", 1, 2), (2, "women", 1, 2)),
        *((3, "ever", 1, 1), (3, "women", 2, -1)),
    ]
