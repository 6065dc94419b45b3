"""A curator opened: fences up, ledger and audit trail read, the served epoch found."""

from __future__ import annotations

from collections.abc import Sequence

from config.logs import Log
from config.metrics import Metrics
from sigmacount.accounting import (
    Continual,
    Entry,
    Era,
    EvolvingRule,
    Purpose,
    SurchargeLimits,
    era_in_force,
)
from sigmacount.errors import HorizonPinned, RulePinned
from sigmacount.release import Answerers
from store.ledger.ledger import RedisLedger
from workers.audit import AuditLog, TrailTopic
from workers.curator.adoptions import Adoptions
from workers.curator.connections import CuratorStores
from workers.curator.epochs.epochs import ROLE, Epochs
from workers.curator.epochs.loading_gate import Ends, LoadingGate
from workers.curator.epochs.release import Releaser
from workers.curator.epochs.resumption import Resumption
from workers.curator.epochs.snapshot import EpochSnapshot
from workers.curator.fresh.fresh_counts import FreshCounts
from workers.curator.fresh.making import made_fresh
from workers.curator.noise.choice import keeping_for
from workers.curator.noise.generations import Generations
from workers.curator.noise.keeping import NoiseSource
from workers.curator.noise.renewals import Renewals
from workers.curator.options import CuratorOptions, LedgerLimits
from workers.running.long_acts import LongActs
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
        MeasurePinned: the ledger is of another measure; the operator starts that one.
        RulePinned, HorizonPinned: the ledger is of another rule, or its counters are
            rated for other epochs; the operator decides which.
        StoreWentBack: the store is behind what was shown; the operator restores it.
        StoreUnavailable, StreamUnavailable: the caller opens again.
    """
    for fenced in (stores.ledger, stores.vault, stores.released, stores.bases):
        await fenced.fence.advance(token)  # the vault's is that of ticks, too
    kept = (stores.ledger, stores.vault, stores.ticks, stores.released)
    log = AuditLog(audit, options.dataset, *kept, token, stores.summaries)
    await log.open()
    await _open_ledger(stores.ledger, token, options.limits)
    entries = await stores.ledger.entries()
    options = options.in_era(await _era(options, stores.ledger, token, entries))
    allowance = options.release.allowance
    adoptions = Adoptions(allowance, stores.ledger, token, entries)
    acts = LongActs(Log(ROLE), metrics)
    rule, measure = options.release.rule, options.limits.limit.measure
    generations = Generations(rule, entries)
    keeping = keeping_for(rule, generations, measure, stores, draw, token, log, acts)
    renewals = Renewals(
        options.release, stores.renewals, stores.ledger, generations, token
    )
    releaser = Releaser(
        options.release, stores, keeping, renewals, token, log, adoptions, acts
    )
    epochs = await _epochs(options, stores, releaser, ends, retry, metrics)
    return epochs, made_fresh(options, stores, draw, token, log, metrics)


async def _open_ledger(ledger: RedisLedger, token: int, limits: LedgerLimits) -> None:
    """The ledger has these limits, and is of the measure that they are in."""
    caps: dict[Purpose, int] = {"fresh": limits.fresh}
    total = limits.limit
    await ledger.open(
        token,
        total.units,
        caps,
        limits.client,
        total.measure,
        SurchargeLimits.in_step(limits.surcharges, total.units, caps, limits.client),
    )


async def _era(
    options: CuratorOptions, ledger: RedisLedger, token: int, entries: Sequence[Entry]
) -> Era:
    """The era in force; in a ledger without one, that of our rule begins.

    What its counters are rated for is pinned by the first curator of the era.
    """
    rule = options.fresh.rule
    found = era_in_force(entries)
    era = found or Era(rule.name)
    if era.rule != rule.name:
        raise RulePinned(options.dataset, era.rule, rule.name)
    if isinstance(rule, Continual):
        era = _rated(options.dataset, era, rule)
    if era != found:
        await ledger.note(token, era.charge)
    return era


def _rated(dataset: str, era: Era, rule: Continual) -> Era:
    """The era with what its counters are rated for, which no later start may change."""
    if era.horizon not in {None, rule.horizon}:
        raise HorizonPinned(dataset, era.horizon, rule.horizon)
    return era.rated(rule.horizon)


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
    snapshot = EpochSnapshot(
        stores.truth, options.schema, partitions, since, *_limits(fresh.rule)
    )
    known = None if head is None else await bases.get(head.epoch)
    passed = known.generations if known else None
    counted = isinstance(fresh.rule, Continual)
    at_once = counted and (head is None or passed is not None)
    gate_ends = None if options.while_loading and not counted else ends
    kept = bases, released, snapshot, fresh.confidence, Answerers()
    return Epochs(
        releaser,
        snapshot,
        LoadingGate(gate_ends, passed, while_loading=at_once),
        retry,
        metrics,
        head,
        fresh,
        Resumption(fresh.rule, *kept),
    )


def _limits(rule: EvolvingRule) -> tuple[int | None, int | None]:
    """Changes of a row, and rows of an owner, that answers promise; None: nothing."""
    if not isinstance(rule, Continual):
        return None, None
    return rule.changes_limit, rule.owner_rows
