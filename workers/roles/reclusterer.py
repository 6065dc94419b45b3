"""A reclusterer as the settings describe it: what plans may hold, cost and gain."""

from __future__ import annotations

from functools import partial
from typing import Final

from config.declarations.datasets import Dataset
from config.settings import InvalidSettings, Settings
from sigmacount.accounting import Composition
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.releases.plan_requests import Plans
from store.releases.released import Released
from streams.process import app
from streams.process.hosting import Hosted
from workers import clients
from workers.catalog import errors_over_time, fresh_noise
from workers.reclusterer import (
    Reclusterer,
    ReclustererOptions,
    ReclustererStores,
    ReclustererStreams,
)
from workers.roles.parts import RoleParts, allowance, leader

NOT_OF_RHO: Final = (
    "SIGMA_RECLUSTER_STRATEGY: greedy, disjoint and subsets split ε among algebras, and"
    " this dataset counts in ρ (SIGMA_PRIVACY_MEASURE=zcdp): take optimal, or leave it"
    " unset."
)
UNSET: Final = {"zcdp": "optimal", "epsilon": "greedy"}  # what each measure can plan


def reclusterer(parts: RoleParts) -> app.Make:
    """A reclusterer with the options of the settings."""
    return partial(
        _reclusterer, parts, reclusterer_options(parts.settings, parts.dataset)
    )


def reclusterer_options(settings: Settings, dataset: Dataset) -> ReclustererOptions:
    """What plans may hold and cost, as the settings say.

    Raises:
        InvalidSettings: the strategy does not plan in the dataset's measure.
    """
    privacy, recluster = settings.spending(), settings.recluster
    strategy: str = recluster.strategy or UNSET[privacy.measure]
    if privacy.measure == "zcdp" and strategy != "optimal":
        raise InvalidSettings((NOT_OF_RHO,))
    if strategy == "subsets":
        strategy = f"subsets:{recluster.subset_size}"
    return ReclustererOptions(
        dataset=dataset.schema.name,
        schema=dataset.schema,
        plan_budget=privacy.amount(privacy.plan_budget),
        allowance=allowance(privacy),
        fresh=fresh_noise(privacy),
        composition=Composition(privacy.composition),
        seconds=recluster.seconds,
        window_days=recluster.window_days,
        min_queries=recluster.min_queries,
        min_gain=recluster.min_gain,
        client_cap=recluster.client_weight_cap,
        strategy=strategy,
        max_atoms=recluster.max_atoms,
        rows_max=dataset.rows_max,
        unasked=recluster.unasked,
        over_time=errors_over_time(privacy, settings.curator.epoch_seconds),
    )


def _reclusterer(
    parts: RoleParts, options: ReclustererOptions, is_leader: app.IsLeader
) -> Hosted:
    settings, topics, keys = parts.settings, parts.topics, parts.keys
    redis = clients.connect_store(settings.redis, parts.owner)
    publisher = clients.publisher(settings.kafka, parts.role)
    dead = parts.dead_letters(publisher)
    lease = RoleLease(redis, keys, parts.role)
    return Reclusterer(
        options,
        ReclustererStores(
            Released(redis, keys), RedisLedger(redis, keys), Plans(redis, keys)
        ),
        ReclustererStreams(
            lambda: parts.placed(topics.query_log, None, "earliest", dead),
            publisher,
            topics.plans,
            dead,
        ),
        leader(parts, lease, settings.recluster.lease_ms, is_leader),
        parts.metrics,
    )
