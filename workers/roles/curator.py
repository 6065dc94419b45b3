"""Curating: a curator, put together."""

from __future__ import annotations

import asyncio
from functools import partial

from config.privacy import Privacy
from sigmacount.accounting import Composition, EvolvingRule, FixedNoise, Renew
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import POSTPROCESS
from store.lease import RoleLease
from store.ledger import RedisLedger
from store.noise import NoiseVault
from store.released import Released
from store.sensitive import Bases, Truth
from streams.clients.sole_reader import SoleReader
from streams.process import app
from workers import clients
from workers import curator as office_
from workers.roles.parts import Parts, allowance, leader
from workers.running.retrying import Service


def curator(parts: Parts) -> app.Make:
    """A curator with the promise of the settings; raises Mismatch without rows."""
    return partial(_curator, parts, _office(parts))


def _office(parts: Parts) -> office_.Office:
    privacy, curator = parts.settings.spending(), parts.settings.curator
    rule = _rule(privacy)
    return office_.Office(
        dataset=parts.schema.name,
        schema=parts.schema,
        partitions=parts.rows_facts().partitions,
        promise=office_.Promise(
            rule,
            Composition(privacy.composition),
            POSTPROCESS[privacy.postprocess],
            privacy.plan_budget,
            allowance(privacy),
        ),
        terms=office_.Terms(rule, privacy.fresh, privacy.confidence),
        budget=office_.Budget(
            privacy.budget, privacy.fresh_budget, privacy.client_quota
        ),
        epoch_seconds=curator.epoch_seconds,
        while_loading=curator.release_while_loading,
        fresh_batch=curator.fresh_batch,
        fresh_ahead=curator.fresh_ahead,
    )


def _rule(privacy: Privacy) -> EvolvingRule:
    if privacy.rule == "fixed-noise" and privacy.churn_probability is not None:
        return FixedNoise(privacy.churn_probability)
    return Renew()


def _ends(parts: Parts) -> dict[int, int]:
    with clients.kafka_admin(parts.settings.kafka) as admin:
        return admin.latest(parts.topics.rows.name)


def _curator(parts: Parts, office: office_.Office, is_leader: app.IsLeader) -> Service:
    settings, topics, keys = parts.settings, parts.topics, parts.keys
    redis = clients.connect_store(settings.redis, parts.owner)
    publisher = clients.publisher(settings.kafka, parts.role)
    dead = parts.dead_letters(publisher)
    lease = RoleLease(redis, keys, parts.role)
    stores = office_.Stores(
        Truth(redis, keys),
        RedisLedger(redis, keys),
        NoiseVault(redis, keys),
        Released(redis, keys),
        Bases(redis, keys),
    )
    streams = office_.Streams(
        fresh=lambda: parts.placed(
            topics.fresh, parts.role, "committed", dead, SoleReader
        ),
        plans=lambda: parts.placed(topics.plans, None, "earliest", dead),
        publisher=publisher,
        results=topics.results,
        dead=dead,
        ends=lambda: asyncio.to_thread(_ends, parts),
        audit=clients.audit(settings.kafka, keys.dataset, parts.owner),
    )
    held = leader(parts, lease, settings.curator.lease_ms, is_leader)
    return office_.Curator(office, stores, streams, held, DiscreteLaplace, parts.dials)
