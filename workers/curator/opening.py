"""A curator opened: fences up, ledger and audit trail read, the served epoch found."""

from __future__ import annotations

from collections.abc import Sequence

from config.metrics import Metrics
from sigmacount.accounting import Entry, Era, Purpose, era_in_force
from sigmacount.errors import RulePinned
from store.ledger.ledger import RedisLedger
from workers.audit import AuditLog, TrailTopic
from workers.curator.adoptions import Adoptions
from workers.curator.connections import CuratorStores
from workers.curator.epochs.epochs import Epochs
from workers.curator.epochs.loading_gate import Ends, LoadingGate
from workers.curator.epochs.release import NoiseSource, Releaser
from workers.curator.epochs.resumption import Resumption
from workers.curator.epochs.snapshot import EpochSnapshot
from workers.curator.fresh.fresh_counts import FreshCounts
from workers.curator.fresh.noise_ahead import DrawnAhead
from workers.curator.options import CuratorOptions
from workers.running.retrying import Retrier


async def open_curator(
    options: CuratorOptions,
    stores: CuratorStores,
    audit: TrailTopic,
    ends: Ends,
    draw: NoiseSource,
    retry: Retrier,
    metrics: Metrics,
    token: int,
) -> tuple[Epochs, FreshCounts]:
    """Every fence is raised before anything is read; then epochs and fresh counts.

    The store is held to the audit trail before anything but a fence is written to it.

    Raises:
        Fenced: a newer curator took over.
        RulePinned: the ledger is of another rule; the operator decides which.
        StoreWentBack: the store is behind what was shown; the operator restores it.
        StoreUnavailable, StreamUnavailable: the caller opens again.
    """
    for fenced in (stores.ledger, stores.vault, stores.released, stores.bases):
        await fenced.fence.advance(token)
    kept = (stores.ledger, stores.vault, stores.released)
    log = AuditLog(audit, options.dataset, *kept, token)
    await log.open()
    limits = options.limits
    caps: dict[Purpose, int] = {"fresh": limits.fresh}
    await stores.ledger.open(token, limits.limit, caps, limits.client)
    entries = await stores.ledger.entries()
    options = options.in_era(await _era(options, stores.ledger, token, entries))
    allowance = options.release.allowance
    adoptions = Adoptions(allowance, stores.ledger, token, entries)
    releaser = Releaser(options.release, stores, draw, token, log, adoptions)
    epochs = await _epochs(options, stores, releaser, ends, retry, metrics)
    ahead = DrawnAhead(draw, options.fresh.mechanism, options.fresh_ahead)
    counts = FreshCounts(options.schema, options.fresh, *kept, ahead, token, log)
    return epochs, counts


async def _era(
    options: CuratorOptions, ledger: RedisLedger, token: int, entries: Sequence[Entry]
) -> Era:
    """The era in force; in a ledger without one, that of our rule begins."""
    rule = options.fresh.rule.name
    era = era_in_force(entries)
    if era is None:
        era = Era(rule)
        await ledger.note(token, era.charge)
    if era.rule != rule:
        raise RulePinned(options.dataset, era.rule, rule)
    return era


async def _epochs(
    options: CuratorOptions,
    stores: CuratorStores,
    releaser: Releaser,
    ends: Ends,
    retry: Retrier,
    metrics: Metrics,
) -> Epochs:
    """The served epoch as it is found, and what is known of how it was made."""
    fresh, bases, released = options.fresh, stores.bases, stores.released
    head = await released.head()
    partitions = range(options.partitions)
    since = 0 if head is None else head.as_of_ms
    snapshot = EpochSnapshot(stores.truth, options.schema, partitions, since)
    known = None if head is None else await bases.get(head.epoch)
    passed = known.generations if known else None
    return Epochs(
        releaser,
        snapshot,
        LoadingGate(None if options.while_loading else ends, passed),
        retry,
        metrics,
        head,
        fresh,
        Resumption(fresh.rule, bases, released, snapshot, fresh.confidence),
    )
