"""Reclustering: a reclusterer, put together."""

from __future__ import annotations

from sigmacount.composition import Composition
from store.lease import RoleLease
from store.ledger import RedisLedger
from store.plans import Plans
from store.released import Released
from streams import app
from workers import wiring
from workers.loop import Service
from workers.reclusterer import Notes, Reclusterer, Streams, Taste
from workers.wiring.parts import Parts, leader


def reclusterer(parts: Parts) -> app.Make:
    """A reclusterer with the taste of the settings."""
    settings, topics = parts.settings, parts.topics
    privacy, recluster = settings.spending(), settings.recluster
    taste = Taste(
        dataset=parts.schema.name,
        schema=parts.schema,
        plan_budget=privacy.plan_budget,
        fresh=privacy.fresh,
        composition=Composition(privacy.composition),
        seconds=recluster.seconds,
        window_days=recluster.window_days,
        min_queries=recluster.min_queries,
        min_gain=recluster.min_gain,
        client_cap=recluster.client_weight_cap,
        strategy=(
            f"subsets:{recluster.subset_size}"
            if recluster.strategy == "subsets"
            else recluster.strategy
        ),
        max_atoms=recluster.max_atoms,
    )

    def make(is_leader: app.IsLeader) -> Service:
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        lease = RoleLease(redis, parts.keys, parts.role)
        return Reclusterer(
            taste,
            Notes(
                Released(redis, parts.keys),
                RedisLedger(redis, parts.keys),
                Plans(redis, parts.keys),
            ),
            Streams(
                lambda: parts.placed(topics.query_log, None, "earliest"),
                publisher,
                topics.plans,
                parts.dead_letters(publisher),
            ),
            leader(parts, lease, recluster.lease_ms, is_leader),
            parts.dials,
        )

    return make
