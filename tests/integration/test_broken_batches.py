"""Broken batches before whole workers: a dead letter each, or the counter's end."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from kafka import KafkaProducer

from sigmacount.domain import Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Plan
from streams.wire.codec import encode
from streams.wire.messages.events import PlanProposed, QueryAsked, RowChanged
from tests.fixtures.broken import SECRET, write_broken
from tests.fixtures.cli import sigma
from tests.fixtures.curator_steps import ATTRIBUTES, group
from tests.fixtures.reading import read_all
from tests.fixtures.worker_processes import PEOPLE, about, page, worker_processes

pytestmark = [pytest.mark.integration, pytest.mark.redis]

ROW = RowChanged(op="insert", id="a", row={"sex": "F", "city": "Rome", "job": "cook"})
BROKEN = 3  # records of each broken batch
COLUMN = "__connect.errors."


def send(kafka, topic, key, event):
    """One event, behind whatever was broken; in partition 0, as that was."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    producer.send(topic.name, key=key.encode(), value=encode(event), partition=0)
    producer.close()


def plan(dataset):
    """Cities and sexes together, as a reclusterer would propose it."""
    made = Plan(
        1,
        (group(Schema(dataset, ATTRIBUTES), "city", "sex"),),
        DiscreteLaplace.costing(20_000),
    )
    return PlanProposed(
        dataset=dataset,
        version=1,
        based_on=0,
        plan=made.to_wire(),
        reason=(),
        made_ms=1,
    )


def test_workers_step_over_what_nobody_can_read(kafka, redis_server, dataset, tmp_path):
    """Questions, fresh ones, plans and the query log: the next record is processed."""
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        broken = break_all_but_rows(kafka, processes.topics, dataset)
        for role in ("counter", "curator", "responder", "reclusterer"):
            processes.start(role)
        _, curator, responder, reclusterer = processes.members

        answers = processes.wait(lambda: read(kafka, processes.topics.results, 1))
        processes.wait(lambda: about(curator).get("plan") == 1)
        processes.wait(lambda: about(reclusterer).get("ready"))
        shown = [page(each, "metrics") for each in (responder, curator, reclusterer)]
        letters = processes.wait(lambda: read(kafka, processes.topics.dead_letters, 4))
        listed = sigma("dead-letters", "list", **settings(processes))
        replayed = sigma("dead-letters", "replay", "--yes", **settings(processes))
        logs = processes.logs()

    assert msgspec.json.decode(answers[0].value)["status"] == "ok"
    named = {tuple(name_of(letter)) for letter in letters}
    assert named == {(topic, "0", "0", "unreadable_batch") for topic in broken}
    assert all(b"offsets 0 to 2 of" in message_of(letter) for letter in letters)
    assert SECRET not in b"".join(map(whole, letters)) + logs.encode()
    for text, topic in zip(shown, (broken[0], broken[1], broken[3]), strict=True):
        labels = f'{{reason="unreadable_batch",topic="{topic}"}}'
        assert f"sigma_dead_letters_total{labels} {BROKEN:.1f}" in text
    assert "unreadable_batch" in listed.out
    assert (replayed.code, "0 " in replayed.out) == (0, True), replayed


def break_all_but_rows(kafka, topics, dataset):
    """A broken batch in each topic but that of rows, and something good behind it."""
    broken = (topics.queries, topics.fresh, topics.plans, topics.query_log)
    for topic in broken:
        asyncio.run(write_broken(kafka, topic.name, "lz4", BROKEN))
    send(kafka, topics.rows, "a", ROW)
    send(kafka, topics.plans, dataset, plan(dataset))
    asked = QueryAsked(request_id="after", client="ada", where="job = 'cook'")
    send(kafka, topics.queries, "ada", asked)
    return [topic.name for topic in broken]


def read(kafka, topic, expected):
    """The records of a topic, once there are enough; else none."""
    records = read_all(kafka.bootstrap, topic, expected=expected, seconds=1)
    return records if len(records) >= expected else []


def test_a_counter_stops_before_rows_that_nobody_can_read(
    kafka, redis_server, dataset, tmp_path
):
    """A row may not be skipped in silence: exit code 1, the place and the remedy."""
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        topics = processes.topics
        send(kafka, topics.rows, "a", ROW)
        asyncio.run(write_broken(kafka, topics.rows.name, "checksum", BROKEN))
        (counter,) = processes.start("counter")

        code = processes.wait(counter.process.poll)
        log = counter.log.read_text()
        letters = read(kafka, topics.dead_letters, 1)
        verified = sigma("verify", **settings(processes))

    assert code == 1
    assert f"offsets 1 to 3 of partition 0 of {topics.rows.name}" in log
    assert "sigma rebuild" in log
    assert not letters
    assert SECRET.decode() not in log
    assert verified.code == 0, "what is before the batch is counted"


def settings(processes):
    """The deployment's settings, as the command line takes them."""
    return {
        name.removeprefix("SIGMA_").lower(): value
        for name, value in processes.place.environment("admin").items()
    }


def name_of(letter):
    """Topic, partition, offset and reason, by the letter's headers."""
    told = dict(letter.headers)
    places = (COLUMN + "topic", COLUMN + "partition", COLUMN + "offset")
    return [told[name].decode() for name in (*places, "sigma.reason")]


def message_of(letter):
    """The sentence for people."""
    return dict(letter.headers)[COLUMN + "exception.message"]


def whole(letter):
    """All bytes of a letter."""
    headers = b"".join(value for _, value in letter.headers)
    return (letter.key or b"") + (letter.value or b"") + headers
