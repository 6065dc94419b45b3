"""A responder over UCI Adult's schema and five groups, and what people ask it."""

from __future__ import annotations

import random
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from benchmarks.consumer import consumer
from benchmarks.curator_steps import Loader, begun, publish
from config.declarations.datasets import load_schema
from config.metrics import Metrics
from config.roles import ResponderSettings
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra
from store.keys import Keys
from store.releases.released import Released
from store.server.connection import connect
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.wire.topics import Topics
from workers.responder import Responder, ResponderConsumers, ResponderOptions
from workers.roles.parts import ASKED_WAIT_MS
from workers.running.garbage_collection import calm_collector
from workers.standing import StandingLimits

SCHEMA, KEYS = load_schema("adult"), Keys("adult")
GROUPS = (
    ("age", "sex", "income"),
    ("workclass", "education", "sex"),
    ("marital_status", "relationship", "race"),
    ("occupation", "hours_per_week", "sex"),
    ("age", "education", "income"),
)
Answering = TypeVar("Answering", bound=Responder)


def where(draw: random.Random) -> str:
    """A question as people ask: a span of ages, a list, a yes or no."""
    names = draw.choice(GROUPS)
    terms = []
    for name in names:
        if name == "age":
            low, high = sorted(draw.sample(range(20, 81, 5), 2))
            terms.append(f"age >= {low} AND age < {high}")
        elif name == "hours_per_week":
            terms.append(f"hours_per_week >= {draw.choice([10, 20, 30, 40, 41, 50])}")
        else:
            labels = SCHEMA.attributes[SCHEMA.index(name)].levels
            some = draw.sample(labels[:-1], draw.randint(1, min(4, len(labels) - 1)))
            listed = ", ".join(f"'{label}'" for label in some if label != "NULL")
            terms.append(f"{name} IN ({listed})" if listed else f"{name} IS NULL")
    return " AND ".join(terms)


async def release(url: str, codes: NDArray[np.int64], plan: Plan | None = None) -> None:
    """An epoch over these rows, one cell code a row: of a plan, or of five groups."""
    redis, plan = connect(url), plan or of_groups()
    await Loader(redis, KEYS, SCHEMA).put(codes)
    await publish(await begun(redis, KEYS, SCHEMA, plan.fresh.price.measure), plan)
    await redis.aclose()


def of_groups() -> Plan:
    """Five groups, each with noise of its own."""
    groups = (Algebra.full(SCHEMA, map(SCHEMA.index, names)) for names in GROUPS)
    return Plan(
        1,
        tuple(Group(algebra, DiscreteLaplace.costing(100_000)) for algebra in groups),
        DiscreteLaplace.costing(20_000),
    )


def wired(
    kind: type[Answering],
    bootstrap: str,
    redis: Redis,
    topics: Topics,
    metrics: Metrics,
) -> Answering:
    """A responder as the service makes it, of a class of the caller's."""
    calm_collector()  # as every worker's process does before it begins
    settings, publisher = ResponderSettings(), Publisher(bootstrap)
    return kind(
        SCHEMA,
        Released(redis, KEYS),
        topics,
        publisher,
        DeadLetters(publisher, topics.dead_letters, "bench"),
        ResponderConsumers(
            partial(
                consumer,
                bootstrap,
                topics.queries.name,
                "bench",
                max_records=settings.batch_queries,
                fetch_max_wait_ms=ASKED_WAIT_MS,
            ),
            partial(
                consumer,
                bootstrap,
                topics.standing.name,
                "bench-standing",
                max_records=settings.standing_turn,
            ),
        ),
        ResponderOptions(
            0.95,
            settings.query_ttl_seconds,
            settings.cached_queries,
            StandingLimits(
                settings.standing_per_client,
                settings.standing_per_partition,
                settings.standing_turn,
            ),
        ),
        metrics,
    )
