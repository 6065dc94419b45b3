"""A takeover: over rows that did not move nothing is published and nothing charged."""

from __future__ import annotations

import msgspec
import pytest

from sigmacount.accounting import Renew
from store.keys import MEMO
from streams.wire.messages.events import QueryAnswered
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World, asking, group

pytestmark = pytest.mark.redis

FEMALE, OSLO = "sex = 'F'", "sex = 'F' AND city = 'Oslo'"
EPSILON, FRESH = 10_000, 20_000


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def answer_to(curator, where, client="ada"):
    """One question, its answer."""
    [answer] = await curator.ask(asking(curator.world.schema, where, client))
    return answer


async def seen(curator):
    """What everybody sees, and what it cost."""
    head = await curator.released.head()
    return head.epoch, head.attempt, await curator.spent()


async def begun(world, **terms):
    """A curator that serves an epoch of one group."""
    curator = await world.curator(draw=Large, **terms)
    await curator.tick(group(world.schema, "job"), version=1)
    return curator


async def test_ten_restarts_cost_nothing(world):
    """And fresh questions go on being answered, each in the one epoch."""
    before = await seen(await begun(world))

    for _ in range(10):
        curator = await world.curator(draw=Large)
        await curator.tick()
        answer = await answer_to(curator, FEMALE)

    epoch, attempt, spent = await seen(curator)
    assert (epoch, attempt, spent) == (*before[:2], before[2] + FRESH)
    assert (answer.status, answer.epoch) == ("ok", 1)


async def test_rows_that_came_and_went_while_nobody_looked_cost_nothing(world):
    """It is the counts that are compared, not how far the log was read."""
    before = await seen(await begun(world))
    await world.change(eve=("F", "Oslo", "cook"))
    await world.change(eve=None)

    await (curator := await world.curator(draw=Large)).tick()

    assert await seen(curator) == before
    assert (await answer_to(curator, FEMALE)).status == "ok"


async def test_rows_that_moved_cost_one_epoch_and_the_next_takeover_none(world):
    """As any other change does, once."""
    await begun(world)
    await world.change(eve=("F", "Oslo", "cook"))

    await (first := await world.curator(draw=Large)).tick()
    after = await seen(first)
    await (second := await world.curator(draw=Large)).tick()

    assert after[0] == 2
    assert await seen(second) == after
    assert (await answer_to(second, FEMALE)).epoch == 2


async def test_a_plan_is_adopted_in_the_first_look_of_a_successor(world):
    """It goes on from the served epoch, and then there is something new to show."""
    await begun(world)

    curator = await world.curator(draw=Large)
    await curator.tick(
        group(world.schema, "job"), group(world.schema, "city"), version=2
    )

    assert curator.epochs.head.epoch == 2
    assert await curator.spent() == 2 * EPSILON  # nothing for showing the first again


async def test_what_a_dead_curator_told_is_told_again(world):
    """Word for word, and free."""
    first = await answer_to(await begun(world), FEMALE)

    await (curator := await world.curator(draw=Large)).tick()
    again = await answer_to(curator, FEMALE, client="bob")

    assert (again.count, again.interval) == (first.count, first.interval)
    assert (again.route, again.spent_micro_epsilon) == ("memo", 0)


async def test_order_is_kept_with_what_a_dead_curator_told(world):
    """Later draws are larger here: a subset would be told more, but for the order."""
    whole = await answer_to(await begun(world), FEMALE)

    await (curator := await world.curator(draw=Large)).tick()
    part = await answer_to(curator, OSLO)

    assert part.route == "fresh"
    assert part.interval[0] > whole.interval[0]
    assert part.count <= whole.count


async def test_answers_kept_without_their_question_are_not_gone_on_from(world):
    """By an older version: their order is unknown, so the next epoch is published."""
    curator = await begun(world)
    await answer_to(curator, FEMALE)
    memo = world.keys.of(MEMO, epoch=1)
    [(key, text)] = (await world.redis.hgetall(memo)).items()
    bare = msgspec.json.encode(msgspec.json.decode(text, type=QueryAnswered))
    await world.redis.hset(memo, key, bare)

    await (curator := await world.curator(draw=Large)).tick()

    assert curator.epochs.head.epoch == 2
    assert (await answer_to(curator, OSLO)).status == "ok"


async def test_an_epoch_whose_arrays_are_gone_is_not_gone_on_from(world):
    """The next one is published."""
    curator = await begun(world)
    names = await world.redis.keys(world.keys.everything("rel}:array:"))
    await world.redis.delete(*names)

    await (curator := await world.curator(draw=Large)).tick()

    assert curator.epochs.head.epoch == 2


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("act", ["note", "release"])
async def test_a_death_while_publishing_leaves_a_basis_of_the_served_epoch(
    world, act, side
):
    """Whichever epoch is served then, its basis is known: two restarts cost one."""
    await begun(world)
    crash = CrashPoint(act, side)
    curator = await world.curator(draw=Large, crash=crash)
    await world.change(eve=("F", "Oslo", "cook"))
    with pytest.raises(Crash):
        await curator.tick()
    await world.change(eve=None)  # as it was at epoch 1
    served = (await curator.released.head()).epoch

    await (after := await world.curator(draw=Large)).tick()

    moved = served == 2
    assert (await after.released.head()).epoch == (3 if moved else 1)
    assert (await answer_to(after, FEMALE)).status == "ok"


async def test_a_takeover_does_not_wait_for_rows_in_flight(world):
    """Counters are behind: the load was waited for when the epoch was first made."""
    ends = {p: world.position[p] for p in range(2)}

    async def latest():
        return dict(ends)

    first = await world.curator(ends=latest)
    await first.tick(group(world.schema, "job"), version=1)
    ends[0] += 100

    await (curator := await world.curator(ends=latest)).tick()

    assert not curator.epochs.waiting
    assert (await answer_to(curator, FEMALE)).status == "ok"


async def test_a_rebuild_that_began_while_nobody_led_is_waited_for(world):
    """Its rows are only half there."""
    ends = {p: world.position[p] for p in range(2)}

    async def latest():
        return dict(ends)

    first = await world.curator(ends=latest)
    await first.tick(group(world.schema, "job"), version=1)
    ends[0] += 100
    await world.redis.hincrby(world.keys.partition(0)[0], "generation", 1)
    await world.change(eve=("F", "Oslo", "cook"))

    await (curator := await world.curator(ends=latest)).tick()

    assert curator.epochs.waiting
    assert (await curator.released.head()).epoch == 1


@pytest.mark.parametrize("moved", [False, True])
async def test_by_the_clock_a_successor_says_the_same_whether_rows_moved(world, moved):
    """What it can still answer would tell: so nothing, until the next epoch."""
    curator = await begun(world, rule=Renew())
    await answer_to(curator, FEMALE)
    if moved:
        await world.change(eve=("F", "Oslo", "cook"))
    before = await seen(curator)

    curator = await world.curator(rule=Renew(), draw=Large)
    asked = await answer_to(curator, OSLO)
    known = await answer_to(curator, FEMALE)
    between = await seen(curator)
    await curator.tick()

    assert (asked.status, asked.error.code) == ("refused", "epoch_pending")
    assert (known.status, known.route) == ("ok", "memo")
    assert between == before
    assert (await seen(curator))[0] == 2
    assert (await answer_to(curator, OSLO)).status == "ok"


@pytest.mark.parametrize("moved", [False, True])
async def test_by_the_clock_a_frozen_epoch_is_not_gone_on_from_either(world, moved):
    """Its next tick pays for nothing; fresh questions could still be paid for."""
    terms = {"rule": Renew(), "limit": EPSILON + 6_000, "fresh": 5_000}
    await begun(world, **terms)
    if moved:
        await world.change(eve=("F", "Oslo", "cook"))

    await (curator := await world.curator(draw=Large, **terms)).tick()
    answer = await answer_to(curator, FEMALE)

    assert (answer.status, answer.error.code) == ("refused", "release_frozen")
    assert await curator.spent() == EPSILON
