"""Responding: a responder, put together."""

from __future__ import annotations

from store.released import Released
from streams import app
from workers import wiring
from workers.loop import Service
from workers.responder import Manner, Responder
from workers.wiring.parts import Parts


def responder(parts: Parts) -> app.Make:
    """A responder; it needs no budget, only what was released."""
    settings, topics = parts.settings, parts.topics
    confidence = settings.privacy.confidence if settings.privacy else 0.95

    def make(is_leader: app.IsLeader) -> Service:
        del is_leader  # every responder answers
        redis = wiring.connect_store(settings.redis, parts.owner)
        publisher = wiring.publisher(settings.kafka, parts.role)
        return Responder(
            parts.schema,
            Released(redis, parts.keys),
            topics,
            publisher,
            parts.dead_letters(publisher),
            lambda assigned, revoked: parts.consumer(
                topics.queries,
                parts.role,
                assigned,
                revoked,
                max_records=settings.responder.batch_queries,
            ),
            Manner(
                confidence,
                settings.responder.query_ttl_seconds,
                settings.responder.cached_queries,
            ),
            parts.dials,
        )

    return make
