"""What an auditor finds of ticks in the vault: the counters after each, and a key."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from sigmacount.continual import HORIZONS, KeptCounters
from sigmacount.models import NoiseName
from store.keys import NOISE_COUNT
from store.releases.tick_vault import DrawnTick, TickVault

pytestmark = pytest.mark.redis

NAME = NoiseName("g", 0)


async def ticked(redis, keys, epochs: range):
    """A vault in which the unit has a tick for each of the epochs."""
    vault = TickVault(redis, keys)
    kept = (await vault.read({NAME: (HORIZONS[128], 2)}))[NAME]
    for epoch in epochs:
        drawn = {NAME: DrawnTick(kept.now, np.full(2, epoch))}
        [(tick, moved)] = (await vault.step(1, epoch, drawn)).values()
        kept = kept.after(tick, epoch, moved)
    return vault, kept


async def test_a_tick_of_the_past_is_found_as_it_was(redis, keys):
    """Before and after a fold; what was folded is not told of, nor what is broken."""
    vault, kept = await ticked(redis, keys, range(3, 9))
    [third] = (await vault.stored({NAME: 3})).values()
    await vault.fold(1, NAME, third.after)

    found = [(await vault.stored({NAME: tick}))[NAME] for tick in range(8)]

    assert [each and each.epoch for each in found] == [None] * 4 + [6, 7, 8, None]
    assert found[6].after.noise.tolist() == kept.now.noise.tolist()
    assert found[6].after.buffers.tolist() == kept.now.buffers.tolist()
    await redis.hset(keys.of(NOISE_COUNT, unit="g", gen=0), "u:5", b"1a")
    assert (await vault.stored({NAME: 6}))[NAME] is None
    assert (await vault.stored({NoiseName("h", 0): 1})) == {NoiseName("h", 0): None}


async def test_the_key_of_the_first_tick_stays(redis, keys):
    """All commitments to ticks of a unit are made with it."""
    vault, _ = await ticked(redis, keys, range(1, 2))
    [first] = (await vault.keys_of([NAME])).values()
    await ticked(redis, keys, range(2, 4))

    assert await vault.keys_of([NAME]) == {NAME: first}
    assert len(first) == 32
    assert await vault.keys_of([NoiseName("h", 0)]) == {NoiseName("h", 0): None}


async def test_counters_are_replayed_beside_the_event_loop(redis, keys, monkeypatch):
    """A unit of 10^5 numbers takes long enough for a lease to lapse."""
    vault, kept = await ticked(redis, keys, range(1, 4))
    at_work, usual = set(), KeptCounters.after

    def noted(*given):
        at_work.add(threading.get_ident())
        return usual(*given)

    monkeypatch.setattr(KeptCounters, "after", noted)
    again = (await vault.read({NAME: (HORIZONS[128], 2)}))[NAME]

    assert again.now.noise.tolist() == kept.now.noise.tolist()
    assert at_work
    assert threading.get_ident() not in at_work
