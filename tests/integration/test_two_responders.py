"""Two responders share the questions; one is killed; all are answered, and alike."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict

import msgspec
import pytest
from kafka import KafkaProducer

from sigmacount.language import parse
from store import connect
from streams.wire.events import QueryAsked
from tests.fixtures.curator_steps import World, group
from tests.fixtures.reading import read_all
from tests.fixtures.worker_processes import PEOPLE, kill, page, worker_processes

pytestmark = [pytest.mark.integration]

QUESTIONS = 600
SPELLINGS = (
    ("sex = 'F'", "NOT (sex = 'M')", {"sex": ["F"]}),
    ("city IN ('Oslo', 'Rome')", "city <> 'Paris'", "NOT city = 'Paris'"),
    ("sex = 'F' AND city = 'Oslo'", "city = 'Oslo' AND sex <> 'M'"),
    ("",),
)


def release(redis_server, keys):
    """One epoch over a few people, as a curator would make it."""

    async def make():
        redis = connect(redis_server.url)
        world = World.of(redis, keys)
        await world.change(ada=("F", "Oslo", "cook"), bob=("M", "Rome", "cook"))
        curator = await world.curator()
        await curator.tick(group(world.schema, "sex", "city"), version=1)
        await redis.aclose()
        return world.schema

    return asyncio.run(make())


def ask(producer, topics, dice, first, last):
    """Questions ``first`` to ``last`` of many clients, each spelled at random."""
    asked = {}
    for number in range(first, last):
        where = dice.choice(dice.choice(SPELLINGS))
        event = QueryAsked(
            request_id=f"r{number}", client=f"c{number % 37}", where=where
        )
        key, value = event.client.encode(), msgspec.json.encode(event)
        producer.send(topics.queries.name, key=key, value=value)
        asked[event.request_id] = where
    producer.flush()
    return asked


def test_all_questions_are_answered_alike_though_one_responder_dies(
    kafka, redis_server, dataset, keys, tmp_path
):
    """Both had a share before; the same set has the same answer from either."""
    schema, dice = release(redis_server, keys), random.Random(dataset)
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
        responders = processes.start("responder", 2)
        processes.wait(lambda: all(member.ready() for member in responders))
        asked = ask(producer, processes.topics, dice, 0, QUESTIONS // 2)
        processes.wait(lambda: all(answered(member) for member in responders))

        kill(responders[0])
        responders[0].start()
        asked |= ask(producer, processes.topics, dice, QUESTIONS // 2, QUESTIONS)

        given = processes.wait(lambda: all_told(kafka, processes.topics, asked))
        producer.close()

    seen = defaultdict(set)
    for request, answers in given.items():
        key = parse(schema, asked[request]).key
        seen[key] |= {
            (a["status"], a["count"], a["route"], a["epoch"]) for a in answers
        }
    assert {len(answers) for answers in seen.values()} == {1}
    assert len(seen) == len(SPELLINGS)


def answered(member):
    """Whether it has answered anything."""
    return 'sigma_answers_total{route="algebra"' in page(member, "metrics")


def all_told(kafka, topics, asked):
    """Request → its answers, once each has one; a repeated one is as good."""
    records = read_all(kafka.bootstrap, topics.results, expected=len(asked), seconds=2)
    given = defaultdict(list)
    for record in records:
        answer = msgspec.json.decode(record.value)
        given[answer["request_id"]].append(answer)
    return given if given.keys() >= asked.keys() else None
