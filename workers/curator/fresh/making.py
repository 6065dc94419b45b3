"""Making: fresh counts as a curator has them, with noise as its rule keeps it."""

from __future__ import annotations

from dataclasses import replace

from config.metrics import Metrics
from sigmacount.accounting import Continual
from sigmacount.release import PROMISED, LazyNoise
from workers.audit import AuditLog
from workers.curator.connections import CuratorStores
from workers.curator.fresh.fresh_counts import FreshCounts
from workers.curator.fresh.noise.forgetting import Forgetting
from workers.curator.fresh.noise.fresh_draws import FreshDraws
from workers.curator.fresh.noise.keeping import FreshKeeping
from workers.curator.fresh.noise.lazy_counters import LazyCounters
from workers.curator.fresh.noise.one_epoch import OneEpoch
from workers.curator.fresh.noise_ahead import DrawnAhead
from workers.curator.fresh.purchases import Purchases
from workers.curator.fresh.requests import FreshOptions
from workers.curator.noise.keeping import NoiseSource
from workers.curator.options import CuratorOptions


def made_fresh(
    options: CuratorOptions,
    stores: CuratorStores,
    draw: NoiseSource,
    token: int,
    audit: AuditLog,
    metrics: Metrics,
) -> FreshCounts:
    """Answers of one curator's term, whose options are of the era in force."""
    fresh, usual = options.fresh, options.fresh.mechanism
    if fresh.lazy:
        usual = LazyNoise(usual.price).ticks
    ahead = DrawnAhead(draw, usual, options.fresh_ahead)
    keepings = _keepings(fresh, stores, ahead, token, audit)
    kept = stores.ledger, stores.released
    ways = {
        once: Purchases(keeping, fresh.confidence, *kept, token)
        for once, keeping in keepings.items()
    }
    forgetting = Forgetting(stores.ticks, token, audit, metrics) if fresh.lazy else None
    return FreshCounts(options.schema, fresh, ways, stores.released, ahead, forgetting)


def _keepings(
    options: FreshOptions,
    stores: CuratorStores,
    ahead: DrawnAhead,
    token: int,
    audit: AuditLog,
) -> dict[bool, FreshKeeping]:
    """By whether noise is of one epoch alone, where that of others goes on.

    Where one charge covers every epoch, questions have counters of their own; one that
    is asked once has a draw of its epoch.
    """
    rule, vault = options.rule, stores.vault
    if not isinstance(rule, Continual):
        return {False: FreshDraws(rule, vault, ahead, token, audit)}
    on = replace(rule, horizon=PROMISED[options.mechanism.price.measure])
    once = OneEpoch.under(rule)
    return {
        False: LazyCounters(on, vault, stores.ticks, ahead, token, audit),
        True: FreshDraws(once, vault, ahead, token, audit),
    }
