"""A curator as the settings describe it: its rule, prices, limits and connections."""

from __future__ import annotations

import asyncio
from functools import partial

from redis.asyncio import Redis

from sigmacount.accounting import Composition
from sigmacount.mechanisms import DiscreteLaplace, Mechanism
from sigmacount.release import POSTPROCESS
from store.keys import Keys
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.sensitive import Bases, Truth
from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.leader_consumer import LeaderConsumer
from streams.process import app
from streams.process.hosting import Hosted
from streams.wire.messages.catalog import Catalog
from workers import clients
from workers import curator as made_of
from workers.catalog import CatalogTopic, catalog_of, evolving_rule
from workers.roles.parts import RoleParts, allowance, leader


def curator(parts: RoleParts) -> app.Make:
    """A curator with the options of the settings; raises Mismatch without rows."""
    return partial(_curator, parts, _options(parts))


def _options(parts: RoleParts) -> made_of.CuratorOptions:
    privacy, curator = parts.settings.spending(), parts.settings.curator
    rule = evolving_rule(privacy)
    return made_of.CuratorOptions(
        dataset=parts.schema.name,
        schema=parts.schema,
        partitions=parts.rows_facts().partitions,
        release=made_of.ReleaseOptions(
            rule,
            Composition(privacy.composition),
            POSTPROCESS[privacy.postprocess],
            privacy.plan_budget,
            allowance(privacy),
        ),
        fresh=made_of.FreshOptions(
            rule, DiscreteLaplace.costing(privacy.fresh), privacy.confidence
        ),
        limits=made_of.LedgerLimits(
            privacy.budget, privacy.fresh_budget, privacy.client_quota
        ),
        epoch_seconds=curator.epoch_seconds,
        while_loading=curator.release_while_loading,
        fresh_batch=curator.fresh_batch,
        fresh_ahead=curator.fresh_ahead,
    )


def _itself(mechanism: Mechanism) -> Mechanism:
    return mechanism


def _ends(parts: RoleParts) -> dict[int, int]:
    with clients.kafka_admin(parts.settings.kafka) as admin:
        return admin.latest(parts.topics.rows.name)


def _stores(redis: Redis, keys: Keys) -> made_of.CuratorStores:
    return made_of.CuratorStores(
        Truth(redis, keys),
        RedisLedger(redis, keys),
        NoiseVault(redis, keys),
        Released(redis, keys),
        Bases(redis, keys),
    )


def _catalog(parts: RoleParts) -> Catalog:
    return catalog_of(parts.dataset, parts.settings.spending())


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
        publish_catalog=partial(_catalog_topic(parts).publish, _catalog(parts)),
        reply_topics=parts.reply_topics(),
    )
    held = leader(parts, lease, settings.curator.lease_ms, is_leader)
    stores = _stores(redis, keys)
    return made_of.Curator(options, stores, streams, held, _itself, parts.metrics)
