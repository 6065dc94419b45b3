"""How many questions a second does one process answer, old shapes and new?

A real responder between the broker and the released store, UCI Adult's schema, five
groups, or a joint plan over the same attributes. The questions lie in the topic when
it begins, and an answer counts once it is acknowledged.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from aiokafka import AIOKafkaProducer
from numpy.typing import NDArray
from prometheus_client import CollectorRegistry

from benchmarks.answering import SCHEMA, release, where, wired
from benchmarks.figures import Figure
from benchmarks.joint_plans import FAMILIES, planned
from config.metrics import Metrics
from embedded.kafka_server import EmbeddedKafka
from embedded.redis_server import EmbeddedRedis
from sigmacount.language import parse
from sigmacount.release import Plan
from sigmacount.sets import WeightedQuery
from store.server.connection import connect
from streams.admin.topics_admin import Admin
from streams.wire.codec import encode
from streams.wire.messages.events import QueryAsked
from streams.wire.records import Batch, TopicPartition
from streams.wire.topics import Topics
from workers.responder import Responder

ROWS, CLIENTS = 32_561, 50
SHAPES, HABITS = 500, 40  # known questions in all, and those of one client
KNOWN, NEW = 60_000, 10_000  # questions
LOGGED = 3_000  # of the new ones: a joint plan is made for what is like them
KNOWN_BARS, NEW_BARS = (10_000, 16_000), (2_000, 2_000)  # of groups, of joint plans


class TurnOfQuestions(NamedTuple):
    """Questions of one kind, and the answers a second that are wanted."""

    name: str
    texts: Sequence[str]
    bar: float
    joint_bar: float


def measure() -> Iterator[Figure]:
    """Figures of the responder: with groups, and beside them with joint plans."""
    draw = random.Random(20230101)
    new = [where(draw) for _ in range(NEW)]
    shapes = [where(draw) for _ in range(SHAPES)]
    habits = [draw.sample(shapes, HABITS) for _ in range(CLIENTS)]
    known = [
        habits[number % CLIENTS][int(HABITS * draw.random() ** 2)]
        for number in range(KNOWN)
    ]
    turns = (
        TurnOfQuestions("known", known, *KNOWN_BARS),
        TurnOfQuestions("new", new, *NEW_BARS),
    )
    log = [WeightedQuery(parse(SCHEMA, text)) for text in [*shapes, *new[:LOGGED]]]
    with EmbeddedKafka() as kafka:
        before = _rates(kafka.bootstrap, "groups", turns, None)
        for turn, rate in zip(turns, before, strict=True):
            yield Figure(f"responder.{turn.name}_shapes", rate, "answers/s", turn.bar)
        for family in FAMILIES:
            plan = planned(SCHEMA, log, family)[1].plan
            found = _rates(kafka.bootstrap, family, turns, plan)
            for turn, rate, usual in zip(turns, found, before, strict=True):
                name = f"responder.{turn.name}_{family}"
                yield Figure(name, rate, "answers/s", turn.joint_bar)
                yield Figure(f"{name}_over_groups", rate / usual, "ratio")


def _rates(
    bootstrap: str, prefix: str, turns: Sequence[TurnOfQuestions], plan: Plan | None
) -> list[float]:
    """Answers a second in each turn, from an epoch of the plan."""
    with EmbeddedRedis() as redis:
        asyncio.run(release(redis.url, _rows(), plan))
        return [
            asyncio.run(
                _answered(bootstrap, redis.url, f"{prefix}.{turn.name}", turn.texts)
            )
            for turn in turns
        ]


def _rows() -> NDArray[np.int64]:
    """Cell codes of as many rows as Adult has."""
    draw = np.random.default_rng(20230101)
    columns = [
        draw.integers(0, size, ROWS) * stride
        for size, stride in zip(SCHEMA.sizes, SCHEMA.strides, strict=True)
    ]
    cells: NDArray[np.int64] = np.sum(columns, axis=0)
    return cells


async def _answered(bootstrap: str, url: str, name: str, texts: Sequence[str]) -> float:
    """Answers a second, from the first batch taken to the last one acknowledged."""
    topics = Topics.named(f"{name}.", 4)
    with Admin(bootstrap) as admin:
        admin.create(topics.all())
    await _ask(bootstrap, topics.queries.name, texts)
    redis, registry = connect(url), CollectorRegistry()
    responder = wired(Timed, bootstrap, redis, topics, Metrics(registry))
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
