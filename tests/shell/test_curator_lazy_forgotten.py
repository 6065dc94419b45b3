"""Questions that nobody asks any more: their counters go, and who comes back pays."""

from __future__ import annotations

import pytest

from sigmacount.errors import Fenced
from sigmacount.mechanisms import Measure
from sigmacount.release import PROMISED
from streams.audit.questions import DAY_MS, UNASKED_DAYS
from streams.wire.messages.audit_events import NoiseLost
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import World
from tests.fixtures.lazy_steps import (
    ANY,
    FEMALE,
    PRICES,
    Rising,
    answer_to,
    counter_of,
    terms_of,
)

pytestmark = pytest.mark.redis

MEASURES = pytest.mark.parametrize("measure", list(Measure))
OSLO = "city = 'Oslo'"


class Clock:
    """What curators stamp with, and look at."""

    def __init__(self):
        self.days = 20_000

    def __call__(self):
        """Milliseconds since 1970."""
        return self.days * DAY_MS


@pytest.fixture
def clock(monkeypatch):
    """It stands until a test moves it."""
    clock = Clock()
    for room in ("workers.audit.log", "workers.curator.fresh.noise.forgetting"):
        monkeypatch.setattr(f"{room}.now_ms", clock)
    return clock


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def told(curator, where=FEMALE, **terms):
    """The noise of an answer in a new epoch, and what it cost."""
    await curator.tick()
    answer = await answer_to(curator, where=where, **terms)
    noise = answer.unbiased - curator.world.count(where)
    return noise, answer.spent.units if answer.spent else 0


async def counters(world):
    """How many the vault has."""
    pattern = world.keys.everything("noise}:count:*")
    return len([key async for key in world.redis.scan_iter(pattern)])


@MEASURES
async def test_who_asks_again_after_ninety_days_has_new_noise_and_pays(
    world, clock, measure
):
    """The old counter is gone, the trail says why, and a start finds nothing amiss."""
    price, terms = PRICES[measure].units, terms_of(measure, draw=Rising)
    curator = await world.curator(**terms)
    first, _ = await told(curator)
    await told(curator)
    clock.days += UNASKED_DAYS + 1

    await curator.fresh.put_away()

    assert not await world.redis.exists(counter_of(world, measure))
    [mark] = [e for e in await world.trail.read() if isinstance(e, NoiseLost)]
    assert mark.unasked
    again, spent = await told(curator)
    assert (spent, await curator.spent()) == (price, 2 * price)
    assert again != first
    assert await world.redis.exists(counter_of(world, measure) + ".1")
    after = await world.curator(**terms)
    assert (await told(after))[1] == 0
    assert await after.ledger.verify()


@MEASURES
async def test_a_question_that_is_asked_is_kept(world, clock, measure):
    """For ninety days after each telling; others are forgotten beside it."""
    curator = await world.curator(**terms_of(measure))
    await told(curator, OSLO)
    spent = []
    for _ in range(3):
        spent.append((await told(curator))[1])
        clock.days += UNASKED_DAYS
        await curator.fresh.put_away()
        curator = await world.curator(**terms_of(measure))
        await curator.fresh.put_away()

    assert spent == [PRICES[measure].units, 0, 0]
    assert await counters(world) == 1


async def test_the_dials_say_how_many(world, clock):
    """That are kept, and that were put away."""
    curator = await world.curator(**terms_of(Measure.RHO))
    shown = curator.registry.get_sample_value
    await told(curator)
    await told(curator, OSLO)
    await curator.fresh.put_away()
    assert shown("sigma_questions_kept") == 2
    assert shown("sigma_questions_forgotten_total") is None
    clock.days += UNASKED_DAYS
    await told(curator)
    clock.days += 1

    await curator.fresh.put_away()

    assert shown("sigma_questions_kept") == 1
    assert shown("sigma_questions_forgotten_total") == 1


async def test_looks_are_rare(world, clock):
    """One an hour: what is due a minute after a look waits for the next."""
    curator = await world.curator(**terms_of(Measure.RHO))
    await told(curator)
    await curator.fresh.put_away()
    clock.days += UNASKED_DAYS
    await curator.fresh.put_away()
    clock.days += 1 / 1_440
    await curator.fresh.put_away()
    assert await counters(world) == 1

    clock.days += 1 / 24

    await curator.fresh.put_away()
    assert await counters(world) == 0


async def test_counters_of_one_question_are_as_old_as_its_last_telling(world, clock):
    """One that ticked too often is not bought again while the next is in use."""
    curator, last = await world.curator(**terms_of(Measure.EPSILON)), 8
    assert last == PROMISED[Measure.EPSILON]
    exact = {"error": 40, "max_cost": ANY}
    for _ in range(last):
        await told(curator, **exact)
    clock.days += UNASKED_DAYS - 1
    _, second = await told(curator, **exact)
    clock.days += UNASKED_DAYS - 1

    await curator.fresh.put_away()

    assert second > 0
    assert await counters(world) == 2
    assert (await told(curator, **exact))[1] == 0
    clock.days += UNASKED_DAYS + 1
    await curator.fresh.put_away()
    assert await counters(world) == 0


@MEASURES
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("act", ["bind", "drop"])
async def test_killed_while_it_forgets_a_successor_does_the_rest(
    world, clock, measure, act, side
):
    """Two charges in all for what was told before and after, and one counter left."""
    price, terms = PRICES[measure].units, terms_of(measure, draw=Rising)
    curator = await world.curator(**terms)
    old, _ = await told(curator)
    clock.days += UNASKED_DAYS + 1
    crash = CrashPoint(act, side)
    curator = await world.curator(**terms, crash=crash)

    with pytest.raises(Crash):
        await curator.fresh.put_away()
    curator = await world.curator(**terms)
    await curator.fresh.put_away()

    new, spent = await told(curator)
    assert (spent, await curator.spent()) == (price, 2 * price)
    assert new != old
    assert await counters(world) == 1
    assert (await told(await world.curator(**terms)))[1] == 0


@MEASURES
async def test_who_was_followed_drops_nothing(world, clock, measure):
    """Nor marks it: the store is asked first."""
    stale = await world.curator(**terms_of(measure))
    await told(stale)
    clock.days += UNASKED_DAYS + 1
    curator = await world.curator(**terms_of(measure))
    _, spent = await told(curator)

    with pytest.raises(Fenced):
        await stale.fresh.put_away()

    assert spent == 0
    assert await counters(world) == 1
    assert (await told(curator))[1] == 0
    assert (await told(await world.curator(**terms_of(measure))))[1] == 0
