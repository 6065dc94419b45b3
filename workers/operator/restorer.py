"""Restoring: a store that went back is brought to what the audit trail says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sigmacount.accounting import Entry, intact, restored_lines
from sigmacount.errors import Mismatch
from sigmacount.mechanisms import Measure
from sigmacount.models import NoiseName
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.ledger.restoring import Rewriter
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.releases.tick_vault import TickVault
from store.server.clock import now_ms
from streams.audit.topic import AuditTopic
from streams.audit.trail import Trail
from streams.wire.messages.audit_events import NoiseLost, StoreRestored
from workers.audit import TrailTopic, unfaithful, unfaithful_ticks
from workers.clients import DatasetStores


@dataclass(frozen=True, slots=True)
class Findings:
    """How a store compares with the trail.

    Attributes:
        trail: what the topic says.
        held: the lines of the store.
        lines: the lines that it should have.
        lost: noise that was shown and is not in the vault as it was.
        epoch: what the store serves; 0 for none.
        behind: in what the store is behind, or None.
        consistent: totals, ids and quotas of the ledger are those of its lines.
    """

    trail: Trail
    held: Sequence[Entry]
    lines: Sequence[Entry]
    lost: Sequence[NoiseName]
    epoch: int
    behind: str | None
    consistent: bool

    @property
    def missing(self) -> int:
        """How many charges the store lacks."""
        hashes = {line.hash for line in self.held}
        return sum(line.hash not in hashes for line in self.lines)

    @property
    def short(self) -> Counter[Measure]:
        """By how much the store's sum of charges is too small, in each measure."""
        sums = Counter[Measure]()
        for sign, lines in ((1, self.lines), (-1, self.held)):
            for charge in (line.charge for line in lines):
                sums[charge.measure] += sign * charge.asked
        return sums

    @property
    def faithful(self) -> bool:
        """There is nothing to restore."""
        whole = self.consistent and not self.missing
        return whole and self.behind is None and not self.lost


@dataclass(frozen=True, slots=True)
class AuditedStores:
    """What a store keeps of one dataset, as far as the trail speaks of it."""

    ledger: RedisLedger
    vault: NoiseVault
    ticks: TickVault
    released: Released
    lease: RoleLease
    rewriter: Rewriter


class Restorer:
    """Compares one dataset's store with its audit trail, and restores it.

    Raises (every coroutine):
        Mismatch: the trail itself is not whole, so nothing can be restored from it.
        StoreUnavailable, StreamUnavailable: safe to repeat.
    """

    def __init__(self, dataset: str, topic: TrailTopic, kept: AuditedStores) -> None:
        self._dataset, self._topic, self._kept = dataset, topic, kept
        self.lease = kept.lease

    async def look(self) -> Findings:
        """Compare; nothing is written."""
        dataset, kept = self._dataset, self._kept
        trail = Trail.of(dataset, await self._topic.read())
        kept.vault.mark_lost(trail.lost)
        held, epoch = await kept.ledger.entries(), await kept.released.epoch()
        lost = await unfaithful(kept.vault, dataset, trail)
        lost += await unfaithful_ticks(kept.ticks, dataset, trail)
        behind = trail.ahead_of(held, epoch, await self.lease.newest())
        lines, adds_up = whole(trail, held), await kept.ledger.verify()
        return Findings(trail, held, lines, lost, epoch, behind, adds_up)

    async def restore(self, token: int) -> Findings:
        """The ledger has every charge, and lost noise can only be drawn anew.

        ``token`` is that of the curator's lease, which the caller holds. Lines come
        first: a crash between the two acts leaves the store behind, and noticed.

        Raises:
            Fenced: the lease lapsed, and a curator took over.
        """
        kept = self._kept
        for fenced in (kept.ledger, kept.vault, kept.released):
            await fenced.fence.advance(token)
        found = await self.look()
        if found.faithful:
            return found
        await kept.rewriter.restore(token, found.held, found.lines)
        about: dict[str, Any] = {
            "dataset": self._dataset,
            "token": token,
            "served": found.epoch,
            "at_ms": now_ms(),
        }
        lost = sorted({name.owner for name in found.lost})
        marks = [NoiseLost(**about, noise=str(name)) for name in lost]
        done = StoreRestored(
            **about,
            lines=found.missing,
            micro_epsilon=found.short[Measure.EPSILON],
            pico_rho=found.short[Measure.RHO],
            lost=len(marks),
        )
        await self._topic.append([*marks, done])
        return found


def whole(trail: Trail, held: Sequence[Entry]) -> list[Entry]:
    """The lines that a store with the lines ``held`` should have.

    Raises:
        Mismatch: the trail is not one chain, even with what the store holds.
    """
    known = dict(enumerate(held, 1)) | trail.lines
    shown = [known[n] for n in range(1, trail.length + 1) if n in known]
    if trail.forks or len(shown) < trail.length or not intact(trail.dataset, shown):
        msg = (
            "the topic `ledger` is not one chain of charges: two stores wrote to it, or"
            " messages were removed. Nothing was written. Take it that the whole"
            " budget is spent; start anew under another name of the dataset and"
            " another prefix of the topics."
        )
        raise Mismatch(msg)
    return restored_lines(trail.dataset, shown, held)


def restorer(stores: DatasetStores, topic: AuditTopic) -> Restorer:
    """Compares the store with its trail, and restores it."""
    place = (stores.redis, stores.keys)
    kept = AuditedStores(
        stores.ledger,
        NoiseVault(*place),
        TickVault(*place),
        stores.released,
        RoleLease(*place, "curator"),
        Rewriter(*place),
    )
    return Restorer(stores.keys.dataset, topic, kept)
