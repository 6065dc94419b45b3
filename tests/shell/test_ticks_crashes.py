"""Whatever instant a curator of counters dies at: one u a tick, one tick an epoch."""

from __future__ import annotations

import uuid

import numpy as np
import pytest

from sigmacount.continual import Counters
from sigmacount.errors import Fenced, StoreWentBack
from sigmacount.models import NoiseName
from store.keys import HEAD, NOISE_COUNT, Keys
from store.ledger.ledger import RedisLedger
from store.releases.released import Released
from store.releases.tick_vault import DrawnTick, TickVault
from store.server.arrays import unpack
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.ticking_steps import (
    ACTS,
    HORIZON,
    SIZE,
    TickingCurator,
    aged,
    rows,
)

pytestmark = pytest.mark.redis

G, H, NEW = NoiseName("g", 0), NoiseName("h", 0), NoiseName("n", 0)
OLD = 63  # epochs before: the third from here folds
SCENARIO = {64: (G, H), 65: (G,), 66: (G, NEW), 67: (G, H, NEW)}  # h pauses
TIMES = {"charge": (1, 5, 8), "draw": (1, 5, 8), "fold": (1,)}  # else each epoch's


class Witness:
    """All that was ever stored or shown."""

    def __init__(self, redis, keys):
        self.redis, self.keys = redis, keys
        self.moved = {}  # unit, tick → (epoch, u)
        self.shown = {}  # unit, epoch → (tick, z)

    async def look(self):
        """One u a tick; and what readers see now."""
        for name in (G, H, NEW):
            at = self.keys.of(NOISE_COUNT, unit=name.unit, gen=name.label)
            held = await self.redis.hgetall(at)
            for field, u in held.items():
                if field.startswith(b"u:"):
                    epoch = int(held[b"epoch:" + field[2:]])
                    tick = (epoch, tuple(unpack(u).tolist()))
                    key = name, int(field[2:])
                    assert self.moved.setdefault(key, tick) == tick, "two values of u"
        head, noisy = await Released(self.redis, self.keys).current("noisy")
        for unit, numbers in noisy.items():
            seen = head.about["ticks"][unit], tuple(numbers - rows(head.epoch))
            assert self.shown.setdefault((unit, head.epoch), seen) == seen

    def straight(self, name):
        """The counters of one who never died and never folded: z by tick, and state."""
        counters, z = Counters.new(HORIZON, SIZE), {}
        for tick in sorted(t for unit, t in self.moved if unit == name):
            counters = counters.absorb(np.array(self.moved[name, tick][1]))
            z[tick] = tuple(counters.noise.tolist())
        return counters, z


async def play(redis, keys, crash):
    """The scenario with one crash, and a successor who goes on."""
    await RedisLedger(redis, keys).open(1, 10_000)
    await aged(redis, keys, (G, H), OLD)
    witness = Witness(redis, keys)
    curator = TickingCurator(redis, keys, 1, crash)
    await curator.take_over((G, H, NEW))
    for epoch, names in SCENARIO.items():
        try:
            await curator.release(names)
        except Crash:
            await witness.look()
            curator = TickingCurator(redis, keys, curator.token + 1, crash)
            await curator.take_over((G, H, NEW))
            if curator.epoch < epoch:
                await curator.release(names)
        await witness.look()
    return curator, witness


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("act", ACTS)
async def test_a_crash_anywhere_changes_no_bit_of_the_noise(redis, act, side):
    """No tick has two values or two epochs, and no unit is shown uncharged."""
    for nth in TIMES.get(act, (1, 2, 3, 4)):
        keys, crash = Keys(f"t{uuid.uuid4().hex}"), CrashPoint(act, side, nth)
        curator, witness = await play(redis, keys, crash)

        assert crash.crashed
        paid = {e.charge.charge_id for e in await curator.ledger.entries()}
        assert paid == {f"group:{name}" for name in (G, H, NEW)}
        found = await curator.vault.read(dict.fromkeys((G, H, NEW), (HORIZON, SIZE)))
        for name, kept in found.items():
            counters, z = witness.straight(name)
            assert kept.now.noise.tolist() == counters.noise.tolist()
            assert kept.now.buffers.tolist() == counters.buffers.tolist()
            for (unit, epoch), (tick, seen) in witness.shown.items():
                if unit == str(name):
                    assert witness.moved[name, tick][0] == epoch
                    assert z[tick] == seen
        assert (found[G].now.tick, found[G].folded) == (67, 64)
        assert (found[H].now.tick, found[NEW].now.tick) == (65, 2)


async def test_the_one_that_was_taken_over_from_ticks_no_more(redis, keys):
    """Its u is of the same tick, and the newer curator's stays."""
    await RedisLedger(redis, keys).open(1, 10_000)
    old, new = (TickingCurator(redis, keys, n, CrashPoint()) for n in (1, 2))
    await old.take_over((G,))
    await old.release((G,))
    late = DrawnTick(old.kept[G].now, np.array([9, 9]))

    await new.take_over((G,))
    await new.release((G,))

    with pytest.raises(Fenced):
        await TickVault(redis, keys).step(1, 2, {G: late})
    again = await TickVault(redis, keys).step(2, 2, {G: late})
    tick, moved = again[G]
    assert tick == 2
    assert (old.kept[G].now.noise + moved).tolist() == new.kept[G].now.noise.tolist()


@pytest.mark.parametrize(
    ("older", "said"),
    [
        (NOISE_COUNT, "unit g:0 was shown at tick 65, the vault has 63"),
        (HEAD, "unit g:0 ticked for epoch 65, the newest is 63"),
    ],
)
async def test_a_part_that_was_put_back_is_noticed_before_anything_is_drawn(
    redis, keys, older, said
):
    """Ticks that are older than the release, or a release than the ticks."""
    await RedisLedger(redis, keys).open(1, 10_000)
    await aged(redis, keys, (G,), OLD)
    at = keys.of(older, unit="g", gen=0)
    copy = await redis.dump(at)
    curator = TickingCurator(redis, keys, 1, CrashPoint())
    await curator.take_over((G,))
    for _ in range(2):
        await curator.release((G,))

    await redis.restore(at, 0, copy, replace=True)

    with pytest.raises(StoreWentBack, match=said):
        await TickingCurator(redis, keys, 2, CrashPoint()).take_over((G,))
