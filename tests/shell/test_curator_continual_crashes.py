"""Whatever instant a curator of counters dies at: one u a tick, one epoch a tick."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from sigmacount.continual import kept
from sigmacount.errors import StoreUnavailable
from sigmacount.mechanisms import unwatched
from sigmacount.models import NoiseName
from store.keys import ARRAY, NOISE_COUNT
from store.server.arrays import unpack
from tests.fixtures.continual_steps import HORIZON, charged, counted, life, ticks_of
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import World

pytestmark = pytest.mark.redis

POINTS = [
    (act, side)
    for act in ("charge", "draw", "step", "bind", "release", "fold")
    for side in ("before", "after")
]


class Rising:
    """Draws that are never twice the same, so that no two u are alike by chance."""

    drawn = 1

    def __init__(self, mechanism):
        self.price = mechanism.price

    def draw(self, size, watch=unwatched):
        """The next numbers, a thousand rows apart."""
        watch(size)
        first, Rising.drawn = Rising.drawn, Rising.drawn + size
        rows = np.arange(first, first + size, dtype=np.int64) * 1_000
        return rows << HORIZON.lattice_bits


class Diary:
    """All that was ever stored or could be read, by one who knows the rows."""

    def __init__(self, world):
        self.world = world
        self.ticks = defaultdict(set)  # (unit, tick) → every (epoch, u) it had
        self.noises = defaultdict(set)  # (unit, noise) → tables of rows it was on
        self.served = defaultdict(set)  # (unit, tick) → epochs that readers had
        self.read_before = set()

    async def read(self, curator):
        """What is there now; charged all of it."""
        world, units = self.world, {g.id: g for g in groups(self.world.schema)}
        paid = await charged(curator)
        for uid in units:
            ticks = await ticks_of(world, uid)
            assert not ticks or str(NoiseName(uid, 0)) in paid, "a tick of nobody's"
            for number, tick in ticks.items():
                self.ticks[uid, number].add(tick)
        head = await curator.released.head()
        for uid, tick in (head.about["ticks"] if head else {}).items():
            self.served[uid, tick].add(head.epoch)
        await self._arrays(units)

    async def _arrays(self, units):
        """Also what was staged and that no head names: responders could read it."""
        redis, keys = self.world.redis, self.world.keys
        parts = dict.fromkeys(("epoch", "token", "try", "gid"), "*")
        async for key in redis.scan_iter(keys.of(ARRAY, **parts, kind="noisy")):
            if key not in self.read_before:
                self.read_before.add(key)
                uid = key.decode().split(":")[-2]
                truth = self.world.tally(units[uid].algebra)
                noise = tuple((unpack(await redis.get(key)) - truth).tolist())
                self.noises[uid, noise].add(frozenset(self.world.rows.items()))


def groups(schema):
    """All units of the scenario."""
    return counted(schema, "sex"), counted(schema, "city"), counted(schema, "job")


def scenario(schema):
    """Rows that change, and the plan that is then proposed, if any."""
    sex, city, job = groups(schema)
    return [
        ({"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}, (1, sex, city)),
        ({}, None),
        ({"cleo": ("F", "Rome", "nurse")}, (2, city, job)),
        ({"bob": None}, (3, sex, job)),
        ({"bob": ("F", "Oslo", "nurse")}, None),
    ]


async def play(world, crash):
    """The scenario, with one crash and a successor who does the same step again."""
    diary, curator = Diary(world), await life(world, crash=crash, draw=Rising)
    for people, plan in scenario(world.schema):
        await world.change(**people)
        try:
            await step(curator, plan)
        except Crash:
            await diary.read(curator)
            # what it died with is shown to nobody, whatever rows do meanwhile
            await world.change(dan=("M", "Rome", "nurse"))
            curator = await life(world, crash=crash, draw=Rising)
            await step(curator, plan)
        await diary.read(curator)
    return diary, curator


async def step(curator, plan):
    """One epoch."""
    version, *units = plan or (None,)
    await curator.tick(*units, version=version)


@pytest.mark.parametrize(("act", "side"), POINTS)
async def test_a_crash_anywhere_leaves_one_u_a_tick_and_one_epoch(
    redis, keys, act, side, monkeypatch
):
    """Every occurrence of each act is crashed at, one run after the other."""
    monkeypatch.setattr(kept, "FOLD_EVERY", 2)
    nth, crash = 0, CrashPoint(crashed=True)
    while crash.crashed:
        nth += 1
        crash = CrashPoint(act, side, nth)
        world = World.of(redis, type(keys)(f"{keys.dataset}-{nth}"))

        diary, curator = await play(world, crash)

        assert {len(each) for each in diary.ticks.values()} == {1}, "a tick twice"
        assert {len(each) for each in diary.served.values()} == {1}, "a tick again"
        assert {len(each) for each in diary.noises.values()} == {1}, "a u on two tables"
        epochs = defaultdict(set)
        for (uid, tick), [(epoch, _)] in diary.ticks.items():
            epochs[uid, epoch].add(tick)
        assert {len(ticks) for ticks in epochs.values()} == {1}, "two ticks, one epoch"
        assert len(await charged(curator)) == len(set(await charged(curator))) == 3
        assert await curator.ledger.verify()
    assert nth > 2, "the act hardly ever happened"


async def test_a_tick_that_was_stored_and_never_shown_is_shown_by_the_successor(
    redis, keys
):
    """Its epoch has the same number: nothing was announced."""
    world = await World.of_two(redis, keys)
    sex = counted(world.schema, "sex")
    await (await life(world)).tick(sex, version=1)
    dying = await life(world, crash=CrashPoint("step", "after"))
    with pytest.raises(Crash):
        await dying.tick()
    stored = await ticks_of(world, sex.id)

    curator = await life(world)
    await curator.tick()

    assert await ticks_of(world, sex.id) == stored
    assert curator.epochs.head.about["ticks"] == {sex.id: 2}
    assert curator.epochs.head.epoch == stored[2][0] == 2


async def test_a_tick_of_an_epoch_that_was_announced_is_skipped(redis, keys):
    """Somebody may have read it before it had a head: the next epoch has the next."""
    world = await World.of_two(redis, keys)
    sex = counted(world.schema, "sex")
    await (await life(world)).tick(sex, version=1)
    dying = await life(world, crash=CrashPoint("release"))
    with pytest.raises(Crash):
        await dying.tick()

    curator = await life(world)
    await curator.tick()

    assert curator.epochs.head.about["ticks"] == {sex.id: 3}
    assert [e for e, _ in (await ticks_of(world, sex.id)).values()] == [1, 2, 3]


async def test_a_retried_step_gives_what_was_stored_first(redis, keys):
    """The reply was lost: drawn anew, but what is there already is what is shown."""
    world = await World.of_two(redis, keys)
    sex = counted(world.schema, "sex")
    curator = await life(world, draw=Rising)
    await curator.tick(sex, version=1)
    keeping = curator.epochs._releaser._keeping  # noqa: SLF001 - where it breaks
    step_once, lost = keeping._vault.step, []  # noqa: SLF001

    async def step_and_lose(*args):
        held = await step_once(*args)
        if not lost:
            lost.append(held)
            raise StoreUnavailable
        return held

    keeping._vault = Losing(keeping._vault, step_and_lose)  # noqa: SLF001
    await curator.tick()

    [[(tick, moved)]] = [list(each.values()) for each in lost]
    assert (await ticks_of(world, sex.id))[tick][1] == tuple(moved.tolist())
    assert await redis.hget(keys.of(NOISE_COUNT, unit=sex.id, gen="0"), "t") == b"2"
    assert curator.epochs.head.about["ticks"] == {sex.id: 2}


class Losing:
    """A vault one of whose replies is lost."""

    def __init__(self, inner, step_of):
        self._inner, self.step = inner, step_of

    def __getattr__(self, name):
        return getattr(self._inner, name)
