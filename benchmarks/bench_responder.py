"""How many questions a second does one process answer, old shapes and new?

A real responder between the broker and the released store, UCI Adult's schema, five
groups. The questions lie in the topic when it begins, and an answer counts once it
is acknowledged.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from aiokafka import AIOKafkaProducer
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from benchmarks.consumer import consumer
from benchmarks.figures import Figure
from benchmarks.reign import Loader, begun, publish
from cli.demo.embedded_kafka import EmbeddedKafka
from cli.demo.embedded_redis import EmbeddedRedis
from config.datasets import load_schema
from config.metrics import Dials
from config.roles import Responder as Knobs
from sigmacount.algebra import Algebra
from sigmacount.groups import Group, Plan
from store.connection import connect
from store.keys import Keys
from store.released import Released
from streams.admin import Admin
from streams.codec import encode
from streams.dead_letters import DeadLetters
from streams.events import QueryAsked
from streams.producer import Publisher
from streams.records import Batch, TopicPartition
from streams.topics import Topics
from workers.responder import Manner, Responder

SCHEMA, KEYS = load_schema("adult"), Keys("adult")
ROWS, CLIENTS = 32_561, 50
SHAPES, HABITS = 500, 40  # known questions in all, and those of one client
KNOWN, NEW = 60_000, 10_000  # questions
GROUPS = (
    ("age", "sex", "income"),
    ("workclass", "education", "sex"),
    ("marital_status", "relationship", "race"),
    ("occupation", "hours_per_week", "sex"),
    ("age", "education", "income"),
)
LISTED = ("workclass", "education", "marital_status", "occupation", "relationship")


def measure() -> Iterator[Figure]:
    """Figures of the responder."""
    draw = random.Random(20230101)
    new = [_where(draw) for _ in range(NEW)]
    shapes = [_where(draw) for _ in range(SHAPES)]
    habits = [draw.sample(shapes, HABITS) for _ in range(CLIENTS)]
    known = [
        habits[number % CLIENTS][int(HABITS * draw.random() ** 2)]
        for number in range(KNOWN)
    ]
    with EmbeddedKafka() as kafka, EmbeddedRedis() as redis:
        asyncio.run(_release(redis.url))
        for name, texts, bar in (("known", known, 10_000), ("new", new, 2_000)):
            rate = asyncio.run(_answered(kafka.bootstrap, redis.url, name, texts))
            yield Figure(f"responder.{name}_shapes", rate, "answers/s", bar)


def _where(draw: random.Random) -> str:
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


async def _release(url: str) -> None:
    """An epoch of five groups over as many rows as Adult has."""
    redis, draw = connect(url), np.random.default_rng(20230101)
    columns = [
        draw.integers(0, size, ROWS) * stride
        for size, stride in zip(SCHEMA.sizes, SCHEMA.strides, strict=True)
    ]
    await Loader(redis, KEYS, SCHEMA).put(np.sum(columns, axis=0))
    groups = (Algebra.full(SCHEMA, map(SCHEMA.index, names)) for names in GROUPS)
    plan = Plan(1, tuple(Group(algebra, 100_000) for algebra in groups), 20_000)
    await publish(await begun(redis, KEYS, SCHEMA), plan)
    await redis.aclose()


async def _answered(bootstrap: str, url: str, name: str, texts: Sequence[str]) -> float:
    """Answers a second, from the first batch taken to the last one acknowledged."""
    topics = Topics.named(f"{name}.", 4)
    with Admin(bootstrap) as admin:
        admin.create(topics.all())
    await _ask(bootstrap, topics.queries.name, texts)
    redis, registry = connect(url), CollectorRegistry()
    responder = _responder(bootstrap, redis, topics, Dials(registry))
    stop = asyncio.Event()
    running = asyncio.create_task(responder.run(stop))
    while responder.taken < len(texts) and not running.done():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    stop.set()
    await running
    await redis.aclose()
    labels = {"route": "algebra", "status": "ok"}
    told = registry.get_sample_value("sigma_answers_total", labels)
    assert told == len(texts), "a question was not answered from an algebra"
    return len(texts) / (responder.ended - responder.began)


async def _ask(bootstrap: str, topic: str, texts: Sequence[str]) -> None:
    settings = {"linger_ms": 20, "max_batch_size": 2**19}
    async with AIOKafkaProducer(bootstrap_servers=bootstrap, **settings) as producer:
        for number, text in enumerate(texts):
            client = f"client-{number % CLIENTS}"
            asked = QueryAsked(request_id=f"q{number}", client=client, where=text)
            await producer.send(topic, encode(asked), key=client.encode())
        await producer.flush()


class Timed(Responder):
    """A responder that notes when it took its batches."""

    began = ended = 0.0
    taken = 0

    async def take(self, batches: Mapping[TopicPartition, Batch]) -> None:
        """As a responder does."""
        self.began = self.began or time.perf_counter()
        await super().take(batches)
        self.taken += sum(len(batch.records) for batch in batches.values())
        self.ended = time.perf_counter()


def _responder(bootstrap: str, redis: Redis, topics: Topics, dials: Dials) -> Timed:
    knobs, publisher = Knobs(), Publisher(bootstrap)
    return Timed(
        SCHEMA,
        Released(redis, KEYS),
        topics,
        publisher,
        DeadLetters(publisher, topics.dead_letters, "bench"),
        partial(
            consumer,
            bootstrap,
            topics.queries.name,
            "bench",
            max_records=knobs.batch_queries,
        ),
        Manner(0.95, knobs.query_ttl_seconds, knobs.cached_queries),
        dials,
    )
