"""Two responders share the questions; one is killed; all are answered, and alike."""

from __future__ import annotations

import asyncio
import json
import random
from collections import defaultdict

import msgspec
import pytest
from kafka import KafkaProducer

from sigmaclient import SyncSession
from sigmacount.language import parse
from store import connect
from streams.wire.messages.events import QueryAsked
from tests.fixtures.cli import sigma
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


STANDING = [f"s{number}" for number in range(6)]
TWO = {"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}


def release(redis_server, world, **people):
    """The next epoch, in which these live so, as a curator would make it."""

    async def make():
        world.redis = redis = connect(redis_server.url)
        await world.change(**people)
        curator = await world.curator()
        await curator.tick(group(world.schema, "sex", "city"), version=1)
        await redis.aclose()

    asyncio.run(make())


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
    """Both had a share before; the same set has the same answer from either.

    What stands is answered in the next epoch, whoever held it before.
    """
    world, dice = World.of(None, keys), random.Random(dataset)
    release(redis_server, world, **TWO)
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
        responders = processes.start("responder", 2)
        processes.wait(lambda: all(member.ready() for member in responders))
        asked = ask(producer, processes.topics, dice, 0, QUESTIONS // 2)
        processes.wait(lambda: all(answered(member) for member in responders))
        stand(kafka, processes.topics)

        kill(responders[0])
        responders[0].start()
        asked |= ask(producer, processes.topics, dice, QUESTIONS // 2, QUESTIONS)

        given = processes.wait(lambda: all_told(kafka, processes.topics, asked))
        release(redis_server, world, cleo=("F", "Rome", "nurse"))
        processes.wait(lambda: all_stood(kafka, processes.topics, 2))
        producer.close()

    seen = defaultdict(set)
    for request, answers in ((each, given[each]) for each in asked):
        key = parse(world.schema, asked[request]).key
        seen[key] |= {
            (a["status"], a["count"], a["route"], a["epoch"]) for a in answers
        }
    assert {len(answers) for answers in seen.values()} == {1}
    assert len(seen) == len(SPELLINGS)


def stand(kafka, topics):
    """Six standing questions by the command line, one of them ended."""
    prefix = topics.rows.name.removesuffix("rows")
    there = ("--client", "dash", "--kafka", kafka.bootstrap, "--prefix", prefix)
    with SyncSession(kafka.bootstrap, client="dash", prefix=prefix) as session:
        for answer in session.stand("ended", by=()):
            assert (answer.name, answer.status) == ("ended", "ok")
            break
        assert [each.name for each in session.standing_questions()] == ["ended"]
        with pytest.raises(ValueError, match="neither price nor error"):
            session.stand("priced", price=True)
    for name in STANDING:
        told = sigma("standing", "add", name, "sex = 'F'", "--json", *there)
        assert told.code == 0, told.err
        answer = json.loads(told.out)
        assert (answer["name"], answer["status"], answer["epoch"]) == (name, "ok", 1)
    assert sigma("standing", "remove", "ended", *there).code == 0
    listed = sigma("standing", "list", "--json", *there).out.splitlines()
    assert [json.loads(line)["name"] for line in listed] == STANDING
    wrong = sigma("standing", "add", "a/b", *there)
    assert "without '/'" in wrong.err


def all_stood(kafka, topics, epoch):
    """Every question that stands is answered in an epoch, and the ended one is not."""
    records = read_all(kafka.bootstrap, topics.results, expected=1, seconds=2)
    answers = [msgspec.json.decode(record.value) for record in records]
    seen = {a["name"] for a in answers if a.get("epoch") == epoch and "name" in a}
    assert "ended" not in seen
    return seen == {*STANDING}


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
