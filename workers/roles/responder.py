"""A responder as the settings describe it: its questions, releases and answers."""

from __future__ import annotations

from functools import partial

from config.settings import Settings
from sigmacount.release import CONFIDENCE
from store.releases.released import Released
from streams.clients.batch_consumer import OnUnreadable
from streams.process import app
from streams.process.hosting import Hosted
from workers import clients
from workers.responder import Responder, ResponderConsumers, ResponderOptions
from workers.roles.parts import ASKED_WAIT_MS, RoleParts
from workers.standing import StandingLimits


def responder(parts: RoleParts) -> app.Make:
    """A responder; it needs no budget, only what was released."""
    return partial(_responder, parts)


def _responder(parts: RoleParts, is_leader: app.IsLeader) -> Hosted:
    del is_leader  # every responder answers
    settings = parts.settings
    redis = clients.connect_store(settings.redis, parts.owner)
    publisher = clients.publisher(settings.kafka, parts.role)
    dead = parts.dead_letters(publisher)
    consumers = _consumers(parts, parts.stepping_over(dead))
    return Responder(
        parts.schema,
        Released(redis, parts.keys),
        parts.topics,
        publisher,
        dead,
        consumers,
        _options(settings, parts.reply_topics()),
        parts.metrics,
    )


def _consumers(parts: RoleParts, step_over: OnUnreadable) -> ResponderConsumers:
    responder, topics = parts.settings.responder, parts.topics
    queries = partial(
        parts.consumer,
        topics.queries,
        parts.role,
        max_records=responder.batch_queries,
        fetch_max_wait_ms=ASKED_WAIT_MS,
        on_unreadable=step_over,
    )
    standing = partial(
        parts.consumer,
        topics.standing,
        f"{parts.role}-standing",
        max_records=responder.standing_turn,
        on_unreadable=step_over,
    )
    return ResponderConsumers(queries, standing)


def _options(settings: Settings, replied_to: frozenset[str]) -> ResponderOptions:
    responder = settings.responder
    confidence = settings.privacy.confidence if settings.privacy else CONFIDENCE
    return ResponderOptions(
        confidence,
        responder.query_ttl_seconds,
        responder.cached_queries,
        StandingLimits(
            responder.standing_per_client,
            responder.standing_per_partition,
            responder.standing_turn,
        ),
        replied_to,
    )
