"""Curating: a curator, put together."""

from __future__ import annotations

import asyncio

from sigmacount.composition import Composition
from sigmacount.evolving import FixedNoise, Release, Renew
from sigmacount.noise import DiscreteLaplace
from sigmacount.postprocess import POSTPROCESS
from store.lease import RoleLease
from store.ledger import RedisLedger
from store.noise import NoiseVault
from store.released import Released
from store.sensitive import Truth
from streams import app
from workers import curator as office_
from workers import wiring
from workers.loop import Service
from workers.wiring.parts import Parts, leader


def curator(parts: Parts) -> app.Make:
    """A curator with the promise of the settings; raises Mismatch without rows."""
    settings, topics = parts.settings, parts.topics
    privacy = settings.spending()
    rule: Release = Renew()
    if privacy.rule == "fixed-noise":
        rule = FixedNoise(privacy.churn_probability or 0.0)
    office = office_.Office(
        dataset=parts.schema.name,
        schema=parts.schema,
        partitions=parts.rows_facts().partitions,
        promise=office_.Promise(
            rule,
            Composition(privacy.composition),
            POSTPROCESS[privacy.postprocess],
            privacy.plan_budget,
        ),
        terms=office_.Terms(rule, privacy.fresh, privacy.confidence),
        budget=office_.Budget(
            privacy.budget, privacy.fresh_budget, privacy.client_quota
        ),
        epoch_seconds=settings.curator.epoch_seconds,
        while_loading=settings.curator.release_while_loading,
        fresh_batch=settings.curator.fresh_batch,
    )

    def ends() -> dict[int, int]:
        with wiring.kafka_admin(settings.kafka) as admin:
            return admin.latest(topics.rows.name)

    def make(is_leader: app.IsLeader) -> Service:
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        lease = RoleLease(redis, parts.keys, parts.role)
        return office_.Curator(
            office,
            office_.Stores(
                Truth(redis, parts.keys),
                RedisLedger(redis, parts.keys),
                NoiseVault(redis, parts.keys),
                Released(redis, parts.keys),
            ),
            office_.Streams(
                fresh=lambda: parts.placed(topics.fresh, parts.role, "committed"),
                plans=lambda: parts.placed(topics.plans, None, "earliest"),
                publisher=publisher,
                results=topics.results,
                dead=parts.dead_letters(publisher),
                ends=lambda: asyncio.to_thread(ends),
            ),
            leader(parts, lease, settings.curator.lease_ms, is_leader),
            DiscreteLaplace,
            parts.dials,
        )

    return make
