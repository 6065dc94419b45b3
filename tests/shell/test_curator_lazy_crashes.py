"""Whatever instant the curator dies at: one noise a telling, and none uncharged."""

from __future__ import annotations

from collections import defaultdict

import pytest

from sigmacount.errors import StoreWentBack
from sigmacount.mechanisms import Measure
from sigmacount.models import NoiseName
from store.keys import NOISE_COUNT
from tests.fixtures.crash_points import Crash, CrashPoint, itself
from tests.fixtures.curator_steps import World
from tests.fixtures.lazy_steps import FEMALE, PRICES, Rising, answer_to, terms_of

pytestmark = pytest.mark.redis

SIDES = ("before", "after")
POINTS = [
    (act, side, Measure.RHO)
    for act in ("charge", "draw", "step", "bind", "release")
    for side in SIDES
]
POINTS += [("step", side, Measure.EPSILON) for side in SIDES]
OSLO = "city = 'Oslo' AND job = 'cook'"
PEOPLE = (
    {"cleo": ("F", "Rome", "nurse")},
    {"bob": None},
    {"dora": ("F", "Oslo", "cook")},
)


class Diary:
    """All that was told, as one would note who also knows the rows."""

    def __init__(self, world):
        self.world = world
        self.told = defaultdict(set)  # (set, epoch) → every noise it was told with
        self.rows = defaultdict(set)  # (set, epoch) → every table it was told of

    async def ask(self, curator, where):
        """One question, and what its answer says of the noise."""
        answer = await answer_to(curator, where=where)
        telling = where, answer.epoch
        self.told[telling].add(answer.unbiased - self.world.count(where))
        self.rows[telling].add(frozenset(self.world.rows.items()))


async def play(world, measure, crash):
    """Three epochs; two sets, one of which is not asked in each. One crash."""
    terms = terms_of(measure, draw=itself)
    diary, curator = Diary(world), await world.curator(**terms, crash=crash)
    for number, people in enumerate(PEOPLE):
        await world.change(**people)
        for act in (None, FEMALE, OSLO) if number != 1 else (None, FEMALE):
            try:
                await step(diary, curator, act)
            except Crash:
                curator = await world.curator(**terms, crash=crash)
                if curator.epochs.source is None:
                    await curator.tick()
                await step(diary, curator, act)
    return diary, curator


async def step(diary, curator, act):
    """A tick of the clock, or a question that is asked twice."""
    if act is None:
        await curator.tick()
    else:
        await diary.ask(curator, act)
        await diary.ask(curator, act)


async def held(world):
    """(epoch, u) of every tick that the vault has, by unit and number."""
    found = {}
    async for key in world.redis.scan_iter(world.keys.everything("noise}:count:*")):
        fields = await world.redis.hgetall(key)
        last = int(fields[b"t"])
        found[key] = [
            (int(fields[b"epoch:%d" % n]), fields[b"u:%d" % n])
            for n in range(1, last + 1)
        ]
    return found


@pytest.mark.parametrize(("act", "side", "measure"), POINTS)
async def test_a_crash_anywhere_leaves_one_noise_a_telling_charged_once(
    redis, keys, act, side, measure
):
    """Every occurrence of each act is crashed at, one run after the other."""
    nth, crash = 0, CrashPoint(crashed=True)
    while crash.crashed:
        nth += 1
        crash = CrashPoint(act, side, nth)
        world = World.of(redis, type(keys)(f"{keys.dataset}-{nth}"))
        await world.change(ada=("F", "Oslo", "cook"), bob=("M", "Rome", "cook"))

        diary, curator = await play(world, measure, crash)

        assert {len(noises) for noises in diary.told.values()} == {1}
        assert {len(tables) for tables in diary.rows.values()} == {1}
        ticks = await held(world)
        assert len(ticks) == 2
        for of_unit in ticks.values():
            epochs = [epoch for epoch, _ in of_unit]
            assert epochs == sorted(set(epochs)), "a tick serves one epoch"
        assert await curator.spent() == 2 * PRICES[measure].units
        assert await curator.ledger.verify()
    assert nth > 2, "the act hardly ever happened"


@pytest.mark.parametrize("measure", list(Measure))
async def test_a_counter_that_is_gone_is_not_begun_anew(redis, keys, measure):
    """It was told: whoever drew it again would tell rows apart by two noises."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(measure))
    await curator.tick()
    await answer_to(curator)
    [gone] = await held(world)
    await redis.delete(gone)
    await curator.tick()

    with pytest.raises(StoreWentBack, match="was shown at tick 1, the vault has 0"):
        await answer_to(curator)
    with pytest.raises(StoreWentBack, match="is gone, or is another"):
        await world.curator(**terms_of(measure))


@pytest.mark.parametrize("measure", list(Measure))
async def test_a_counter_that_lost_its_last_tick_is_noticed(redis, keys, measure):
    """The trail knows of it; nothing is told."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(measure))
    for _ in range(2):
        await curator.tick()
        await answer_to(curator)
    [name] = await held(world)
    await redis.hdel(name, "u:2", "epoch:2")
    await redis.hset(name, "t", 1)
    await curator.tick()

    with pytest.raises(StoreWentBack, match="was shown at tick 2, the vault has 1"):
        await answer_to(curator)


async def test_the_charge_names_the_counter(redis, keys):
    """As a plan unit's does: so a lost one is found by its charge."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(Measure.RHO))
    await curator.tick()
    await answer_to(curator)

    [entry] = [e for e in await curator.ledger.entries() if e.charge.asked]

    name = NoiseName.paid_by(entry.charge.charge_id)
    assert await redis.exists(keys.of(NOISE_COUNT, unit=name.unit, gen=name.label))


async def test_a_draw_that_may_be_stored_makes_no_later_tick(redis, keys):
    """Its tick is stored and the reply was lost; the same curator goes on."""
    world, crash = await World.of_two(redis, keys), CrashPoint("step", "after")
    terms = terms_of(Measure.EPSILON, draw=Rising)
    curator = await world.curator(**terms, crash=crash)
    await curator.tick()
    with pytest.raises(Crash):
        await answer_to(curator)

    await curator.tick()
    await answer_to(curator)

    [ticks] = (await held(world)).values()
    assert len({moved for _, moved in ticks}) == len(ticks) == 2
