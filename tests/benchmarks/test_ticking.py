"""Epochs of counters that are timed are those of the service, and come by the clock."""

import numpy as np
import pytest

from benchmarks import bench_continual, ticking
from benchmarks.ticking import UNIT, TickingEpochs
from sigmacount.continual import Counters
from store.releases.released import Released
from store.releases.tick_vault import TickVault

pytestmark = pytest.mark.redis


async def test_an_epoch_is_stored_before_it_is_shown(redis, keys):
    """What readers see is the truth and z of the stored ticks, folded or not."""
    epochs = TickingEpochs.of(redis, keys, 50)
    moved = []
    for _ in range(66):
        before = epochs.kept.now.noise
        await epochs.epoch()
        moved.append(epochs.kept.now.noise - before)
        await epochs.fold()

    head, shown = await Released(redis, keys).current("noisy")
    size = {UNIT: (ticking.NOISE.horizon, 50)}
    stored = (await TickVault(redis, keys).read(size))[UNIT]

    straight = Counters.new(ticking.NOISE.horizon, 50)
    for u in moved:
        straight = straight.absorb(u)
    assert (head.epoch, head.about["ticks"]) == (66, {"bench:0": 66})
    assert (shown[str(UNIT)] - epochs.true).tolist() == straight.noise.tolist()
    assert stored.now.buffers.tolist() == straight.buffers.tolist()
    assert (stored.folded, stored.epoch) == (64, 66)
    assert np.any(straight.noise)


async def test_epochs_come_by_the_clock_and_who_is_late_is_told(
    redis, keys, monkeypatch
):
    """A draw that takes longer than an epoch makes each one later than the last."""
    monkeypatch.setattr(bench_continual, "EPOCH_SECONDS", 0.05)
    epochs = TickingEpochs.of(redis, keys, 10)
    late, idle = await bench_continual.keep(epochs, 3)
    assert len(late) == len(idle) == epochs.kept.now.tick == 3
    assert min(late) > 0

    monkeypatch.setattr(bench_continual, "EPOCH_SECONDS", 1e-6)
    late, idle = await bench_continual.keep(epochs, 4)

    assert max(idle) < 0
    assert late == sorted(late)
