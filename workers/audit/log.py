"""The audit log: charges and commitments are in the topic before anything is shown.

What the curator publishes, it compares first: a store that is behind the topic has
gone back, and its noise would be drawn a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import Entry
from sigmacount.continual import Counters, KeptCounters
from sigmacount.errors import StoreWentBack
from sigmacount.mechanisms import commitment
from sigmacount.models import NoiseName
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.releases.tick_vault import TickVault
from store.releases.trail_summaries import TrailSummaries
from store.server.clock import now_ms
from streams.audit.lines import granted
from streams.audit.trail import Trail
from streams.wire.messages.audit_events import (
    MOST_BOUND,
    AnyAuditEvent,
    EpochAnnounced,
    NoiseCommitted,
    NoiseLost,
    TickBound,
    TicksCommitted,
)
from workers.audit.commitments import listed, newest, unfaithful
from workers.audit.reading import TrailReader, TrailTopic
from workers.audit.ticks import lasts, require, unfaithful_ticks

NoiseByGroup = Mapping[str, NDArray[np.int64]]  # group id → ζ of its atoms


class AuditLog:
    """What one curator publishes, and how it notices a store that went back.

    Attributes:
        trail: what the topic came to; others only read it.

    Raises (every coroutine):
        StoreWentBack: nothing was charged, drawn or shown since; the operator runs
            `sigma ledger restore`.
        StoreUnavailable, StreamUnavailable: the caller repeats the act.
    """

    def __init__(
        self,
        topic: TrailTopic,
        dataset: str,
        ledger: RedisLedger,
        vault: NoiseVault,
        ticks: TickVault,
        released: Released,
        token: int,
        summaries: TrailSummaries | None = None,
    ) -> None:
        self._topic, self._dataset, self._token = topic, dataset, token
        self._reader = TrailReader(topic, dataset, ledger, summaries, token)
        self._ledger, self._vault, self._released = ledger, vault, released
        self._ticks = ticks
        self.trail, self._served = Trail(dataset), 0

    async def open(self) -> None:
        """The store is what the trail says, and the trail has all that it holds.

        A crash may have come between the store and the topic: what the topic lacks is
        published, from the store; never the other way.
        """
        self.trail = trail = await self._reader.whole()
        self._vault.mark_lost(trail.lost)
        entries = await self._ledger.entries()
        self._served = await self._released.epoch()
        if behind := trail.ahead_of(entries, self._served, self._token):
            raise StoreWentBack(behind)
        if not await self._ledger.verify():
            msg = "parts of its ledger are gone, or were changed"
            raise StoreWentBack(msg)
        gone = await unfaithful(self._vault, self._dataset, trail)
        if gone := gone + await unfaithful_ticks(self._ticks, self._dataset, trail):
            msg = f"noise that was shown is gone, or is another: {listed(gone)}"
            raise StoreWentBack(msg)
        await self._ledger.lines.follow()
        await self._publish(
            granted(self._dataset, self._token, self._served, n, entries[n - 1])
            for n in trail.lacks(entries)
        )
        await self._bind_held(entries)
        await self.sum_up()

    async def sum_up(self) -> None:
        """See ``TrailReader.sum_up``; between two epochs, which it could hold up."""
        await self._reader.sum_up(self.trail)

    async def check(self) -> None:
        """The store still holds all that was shown; its newest lines are published."""
        self._served = epoch = await self._released.epoch()
        if epoch < self.trail.served:
            msg = f"it serves epoch {epoch:,}, readers had {self.trail.served:,}"
            raise StoreWentBack(msg)
        await self._publish_lines()

    def before_drawing(self, units: Sequence[str], generation: int) -> None:
        """None of these units was shown with noise that the vault no longer has."""
        names = [self._vault.name(unit, generation) for unit in units]
        if gone := [name for name in names if name in self.trail.commitments]:
            msg = f"noise that was shown is gone: {listed(gone)}"
            raise StoreWentBack(msg)

    async def before_showing(
        self,
        noises: NoiseByGroup,
        generation: int,
        epoch: int,
        until: int | None = None,
    ) -> None:
        """Every charge, and a commitment to each of these noises, is in the topic.

        Noise that was bound before is the noise that is shown now. ``until``: the last
        epoch that may show it, where that is known.
        """
        await self._publish_lines()
        await self._bind(noises, generation, epoch, until)

    def before_ticking(self, name: NoiseName, kept: KeptCounters, newest: int) -> None:
        """These counters are the ones that were shown; see ``ticks.require``."""
        require(self.trail, name, kept, newest)

    async def before_showing_ticks(
        self, ticked: Mapping[NoiseName, Counters], epoch: int
    ) -> None:
        """Every charge, and a commitment to the last tick of each, is in the topic."""
        await self._publish_lines()
        made = await lasts(self._ticks, self._dataset, epoch, ticked)
        known = self.trail.ticks
        new = [n for n in made if n not in known or known[n].tick < made[n].tick]
        if other := [n for n in made if n not in new and made[n] != known[n]]:
            msg = f"ticks that were shown are others now: {listed(other)}"
            raise StoreWentBack(msg)
        bound = [
            TickBound(noise=str(n), tick=made[n].tick, commitment=made[n].commitment)
            for n in new
        ]
        await self._publish(
            TicksCommitted(
                **self._about(), epoch=epoch, bound=tuple(bound[at : at + MOST_BOUND])
            )
            for at in range(0, len(bound), MOST_BOUND)
        )

    async def forget(self, names: Iterable[NoiseName]) -> None:
        """Nothing is shown under these names from here on; the topic says so first."""
        about = self._about()
        marks = [NoiseLost(**about, noise=str(name), unasked=True) for name in names]
        await self._publish(marks)

    async def announce(self, epoch: int) -> None:
        """The number of the epoch is in the topic; no other epoch ever gets it."""
        if epoch > self.trail.epoch:
            await self._publish([EpochAnnounced(**self._about(), epoch=epoch)])

    def shown(self, epoch: int) -> None:
        """Readers are served this epoch; what follows in the topic says so."""
        self._served = epoch

    def next_epoch(self) -> int:
        """A number that no epoch was announced under."""
        return max(self._served, self.trail.epoch) + 1

    async def _bind_held(self, entries: Iterable[Entry]) -> None:
        """Bind noise that a crash, or an older version, kept from the topic."""
        paid = (NoiseName.paid_by(entry.charge.charge_id) for entry in entries)
        for generation, units in newest(paid, self.trail).items():
            held = await self._vault.get_many(units, generation)
            noises = {unit: noise for unit, noise in held.items() if noise is not None}
            await self._bind(noises, generation, self._served)

    async def _bind(
        self,
        noises: NoiseByGroup,
        generation: int,
        epoch: int,
        until: int | None = None,
    ) -> None:
        bound = await self._bound(noises, generation)
        known = self.trail.commitments
        other = [n for n, figure in bound.items() if known.get(n, figure) != figure]
        if other:
            msg = f"noise that was shown is another now: {listed(other)}"
            raise StoreWentBack(msg)
        await self._publish(
            NoiseCommitted(
                **self._about(),
                noise=str(name),
                commitment=figure,
                epoch=epoch,
                until=until,
            )
            for name, figure in bound.items()
            if name not in known
        )

    async def _publish_lines(self) -> None:
        """Check that the ledger continues what is known; publish its new lines."""
        known = self.trail.length
        lines = await self._ledger.lines.follow(known)
        await self._publish(
            granted(self._dataset, self._token, self._served, n, line)
            for n, line in enumerate(lines, known + 1)
        )

    async def _bound(
        self, noises: NoiseByGroup, generation: int
    ) -> dict[NoiseName, str]:
        keys = await self._vault.keys_of(list(noises), generation)
        if lacking := {unit: noises[unit] for unit, key in keys.items() if key is None}:
            await self._vault.put_many(self._token, generation, lacking)
            keys |= await self._vault.keys_of(list(lacking), generation)
        names = {unit: self._vault.name(unit, generation) for unit in noises}
        return {
            name: commitment(keys[unit] or b"", self._dataset, str(name), noises[unit])
            for unit, name in names.items()
        }

    async def _publish(self, events: Iterable[AnyAuditEvent]) -> None:
        published = list(events)
        if published:
            await self._topic.append(published)
            self._reader.appended(len(published))
        for event in published:
            self.trail.take(event)

    def _about(self) -> dict[str, Any]:
        return {
            "dataset": self._dataset,
            "token": self._token,
            "served": self._served,
            "at_ms": now_ms(),
        }
