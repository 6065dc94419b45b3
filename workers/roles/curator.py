"""A curator as the settings describe it: its rule, prices, limits and connections."""

from __future__ import annotations

import asyncio
from functools import partial

from redis.asyncio import Redis

from config.privacy import Privacy
from sigmacount.accounting import Composition, era_in_force
from sigmacount.mechanisms import Mechanism
from sigmacount.models import NO_HISTORY, HistoryLimits
from sigmacount.release import POSTPROCESS
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.releases.renewal_requests import RenewalRequests
from store.releases.tick_vault import TickVault
from store.releases.trail_summaries import TrailSummaries
from store.sensitive import Bases, Truth
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.leader_consumer import LeaderConsumer
from streams.process import app
from streams.process.hosting import Hosted
from workers import clients
from workers import curator as made_of
from workers.catalog import (
    CatalogTopic,
    catalog_of,
    evolving_rule,
    fresh_noise,
    promise_of,
)
from workers.roles.parts import RoleParts, allowance, leader


def curator(parts: RoleParts) -> app.Make:
    """A curator with the options of the settings; raises Mismatch without rows."""
    return partial(_curator, parts, _options(parts))


def _options(parts: RoleParts) -> made_of.CuratorOptions:
    privacy, curator = parts.settings.spending(), parts.settings.curator
    seconds = curator.epoch_seconds
    rule = evolving_rule(privacy, seconds)
    return made_of.CuratorOptions(
        dataset=parts.schema.name,
        schema=parts.schema,
        partitions=parts.rows_facts().partitions,
        release=made_of.ReleaseOptions(
            rule,
            Composition(privacy.composition),
            POSTPROCESS[privacy.postprocess],
            privacy.amount(privacy.plan_budget),
            allowance(privacy),
            made_of.seconds_between(seconds, by_clock=rule.by_clock),
        ),
        fresh=made_of.FreshOptions(rule, fresh_noise(privacy), privacy.confidence),
        limits=_limits(privacy),
        epoch_seconds=seconds,
        while_loading=curator.release_while_loading,
        fresh_batch=curator.fresh_batch,
        fresh_ahead=curator.fresh_ahead,
    )


def _limits(privacy: Privacy) -> made_of.LedgerLimits:
    surcharges = privacy.surcharges.units if privacy.surcharges else 0
    parts = privacy.fresh_budget, privacy.client_quota
    return made_of.LedgerLimits(privacy.total, *parts, surcharges)


def _itself(mechanism: Mechanism) -> Mechanism:
    return mechanism


def _ends(parts: RoleParts) -> dict[int, int]:
    with clients.kafka_admin(parts.settings.kafka) as admin:
        return admin.latest(parts.topics.rows.name)


def _stores(parts: RoleParts, redis: Redis) -> made_of.CuratorStores:
    keys = parts.keys
    return made_of.CuratorStores(
        Truth(redis, keys),
        RedisLedger(redis, keys),
        NoiseVault(redis, keys),
        TickVault(redis, keys),
        Released(redis, keys, _history(parts)),
        Bases(redis, keys),
        RenewalRequests(redis, keys),
        TrailSummaries(redis, keys),
    )


def _history(parts: RoleParts) -> HistoryLimits:
    """What is kept for questions with ``since``, which fixed noise has none of."""
    if parts.settings.spending().rule == "fixed-noise":
        return NO_HISTORY
    curator = parts.settings.curator
    return HistoryLimits(curator.history, curator.history_bytes)


async def _publish_catalog(parts: RoleParts, ledger: RedisLedger) -> bool:
    """What may be asked, and what is promised in the era in force."""
    settings, topic = parts.settings, _catalog_topic(parts)
    privacy = settings.spending()
    era = era_in_force(await ledger.entries())
    promise = promise_of(privacy, settings.curator.epoch_seconds, era)
    return await topic.publish(catalog_of(parts.dataset, promise, privacy.confidence))


def _catalog_topic(parts: RoleParts) -> CatalogTopic:
    kafka, topic = parts.settings.kafka, parts.topics.catalog
    return CatalogTopic(
        topic,
        lambda: clients.publisher(kafka, parts.owner),
        lambda: clients.from_the_beginning(kafka, topic, noted_in_the_log),
    )


def _curator(
    parts: RoleParts, options: made_of.CuratorOptions, is_leader: app.IsLeader
) -> Hosted:
    settings, topics, keys = parts.settings, parts.topics, parts.keys
    redis = clients.connect_store(settings.redis, parts.owner)
    publisher = clients.publisher(settings.kafka, parts.role)
    dead = parts.dead_letters(publisher)
    lease = RoleLease(redis, keys, parts.role)
    streams = made_of.CuratorStreams(
        fresh=lambda: parts.placed(
            topics.fresh, parts.role, "committed", dead, LeaderConsumer
        ),
        plans=lambda: parts.placed(topics.plans, None, "earliest", dead),
        publisher=publisher,
        results=topics.results,
        dead=dead,
        ends=lambda: asyncio.to_thread(_ends, parts),
        audit=clients.audit(settings.kafka, keys.dataset, parts.owner),
        publish_catalog=partial(_publish_catalog, parts, RedisLedger(redis, keys)),
        reply_topics=parts.reply_topics(),
    )
    held = leader(parts, lease, settings.curator.lease_ms, is_leader)
    stores = _stores(parts, redis)
    return made_of.Curator(options, stores, streams, held, _itself, parts.metrics)
