"""Hostile records before whole workers, on every topic: none stops, all are told.

The attacker may write to any topic. The attack is won when a worker ends, when what
comes after is not answered, or when anything is charged but what two honest records
cost. Deterministic; no error rate.
"""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from kafka import KafkaProducer
from redis import Redis

from config.gateway import GatewaySettings
from embedded.local_gateway import LocalGateway
from store.keys import LEDGER, Keys
from streams.wire.messages.events import EVENT_BYTES, QueryAsked
from tests.fixtures.broken import write_named
from tests.fixtures.cli import sigma
from tests.fixtures.reading import read_all
from tests.fixtures.worker_processes import (
    PEOPLE,
    PRIVACY,
    about,
    page,
    worker_processes,
)
from tests.integration.test_broken_batches import ROW, plan, send, settings

pytestmark = [
    pytest.mark.attack,
    pytest.mark.integration,
    pytest.mark.redis,
]

PLAN, FRESH = 10_000, int(PRIVACY["SIGMA_PRIVACY_FRESH"])  # µε
DEEP = b"[" * 15_000 + b"]" * 15_000
HEADER = ("kafka_correlationId", b"\xff\x00")
LARGEST = EVENT_BYTES - 2_000  # what a broker takes, with all that is around it
ROLES = ("counter", "curator", "responder", "reclusterer")
ODD = b"na\xffme"
HOSTILE = [
    b"",
    b"\xff",
    DEEP,
    b'{"request_id": "deep", "client": "c", "where": ' + DEEP + b"}",
    b'{"request_id": "deep", "client": "c", "new": ' + DEEP + b"}",
    b'{"request_id": "%s", "client": "c"}' % (b"x" * LARGEST),
    b'{"request_id": "null", "client": "c", "where": null}',
    b'{"request_id": "v3", "client": "c", "v": 3}',
    b'{"request_id": "nobody"}',
    b'{"request_id": "huge", "client": "c", "where": {"sex": {"lt": 1e999}}}',
    b'{"request_id": "vast", "client": "c", "where": "sex = %s"}' % (b"9" * 15_000),
    b'{"request_id": "v", "client": "c", "v": 1%s}' % (b"0" * 400),
    b'{"dataset": "x", "kind": "charge", "token": 1e400, "micro_epsilon": -1}',
]
MANY_HEADERS = [("h", b"")] * 100_000
TOLD = {
    "deep",
    "null",
    "v3",
    "nobody",
    "huge",
    "vast",
    "v",
    "",
}  # the last by the header alone


def fill(kafka, topics):
    """Everything hostile into every topic, whoever should write there."""
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, max_request_size=2 * EVENT_BYTES
    )
    every = (topics.queries, topics.fresh, topics.plans, topics.query_log, topics.rows)
    others = (topics.results, topics.standing, topics.catalog)
    for topic in (*every, *others, topics.dead_letters, topics.ledger):
        for value in HOSTILE:
            about = {"key": b"k", "headers": [HEADER], "partition": 0}
            producer.send(topic.name, value=value, **about)
    producer.send(topics.queries.name, value=b"{", headers=MANY_HEADERS, partition=0)
    producer.close()
    for topic in every:
        asyncio.run(write_named(kafka, topic.name, b"{", ODD))
    return len(every) * (len(HOSTILE) + 1) + 1


def test_no_record_stops_a_worker(kafka, redis_server, dataset, tmp_path, figures):
    """The same processes answer what comes after, and say who is wrong and where."""
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        topics = processes.topics
        bad = fill(kafka, topics)
        begun(kafka, processes, dataset)
        gateway = heard_by_a_gateway(kafka, processes, tmp_path)
        for request, where in (("algebra", "city = 'Rome'"), ("fresh", "job = 'cook'")):
            asked = QueryAsked(request_id=request, client="ada", where=where)
            send(kafka, topics.queries, "ada", asked)

        answers = processes.wait(lambda: answered(kafka, topics, {"algebra", "fresh"}))
        letters = processes.wait(lambda: letters_of(kafka, topics, bad))
        shown = [page(each, "metrics") for each in processes.members[: len(ROLES)]]
        told = gateway.asked({"where": "city = 'Rome'", "max_cost": 0})
        ended = [each.process.poll() for each in processes.members]
        listed = sigma("dead-letters", "list", **settings(processes))
        paid = spent(redis_server, dataset)

    assert ended == [None] * 5
    assert {answers[name]["status"] for name in TOLD} == {"invalid"}
    honest = (answers["algebra"], answers["fresh"], told[1])
    assert {answer["status"] for answer in honest} == {"ok"}
    assert len(letters) >= bad
    assert all("sigma_dead_letters_total{" in text for text in shown)
    assert listed.code == 0, listed.err
    assert paid == PLAN + FRESH
    figures(f"{bad} hostile records that are read, 5 workers alive, {paid:,} µε")


def begun(kafka, processes, dataset):
    """A row and a plan behind all that is hostile; then the workers come."""
    send(kafka, processes.topics.rows, "a", ROW)
    send(kafka, processes.topics.plans, dataset, plan(dataset))
    for name in ROLES:
        processes.start(name)
    processes.wait(lambda: about(processes.members[1]).get("plan") == 1)
    processes.wait(lambda: about(processes.members[3]).get("ready"))


def heard_by_a_gateway(kafka, processes, folder):
    """A gateway, and all that is hostile on what it reads, while it reads it."""
    gateway = LocalGateway.of(GatewaySettings(port=0), folder)
    [member] = processes.start("gateway", **gateway.environment())
    processes.wait(member.ready)
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, max_request_size=2 * EVENT_BYTES
    )
    for topic in (processes.topics.results, processes.topics.catalog):
        for value in HOSTILE:
            for key in (b"k", ODD, processes.place.dataset.encode()):
                producer.send(topic.name, key=key, value=value, headers=[HEADER])
    producer.close()
    return gateway


def letters_of(kafka, topics, expected):
    """Dead letters, once there are enough; reading 100,000 headers takes its time."""
    found = read_all(kafka.bootstrap, topics.dead_letters, expected=expected)
    return found if len(found) >= expected else []


def spent(redis_server, dataset):
    """What the ledger holds (µε)."""
    with Redis.from_url(redis_server.url) as redis:
        return int(redis.hget(Keys(dataset).of(LEDGER), "spent"))


def answered(kafka, topics, wanted):
    """Answers by request id, once those wanted are there; else none."""
    found = {}
    for record in read_all(kafka.bootstrap, topics.results, expected=1):
        try:
            answer = msgspec.json.decode(record.value)
        except (msgspec.DecodeError, ValueError, RecursionError):
            continue  # what was put there by strangers
        if isinstance(answer, dict) and "status" in answer:
            found[answer["request_id"]] = answer
    return found if wanted <= found.keys() else {}
