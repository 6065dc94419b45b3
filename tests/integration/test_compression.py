"""Any codec that a producer may choose is read by every worker and command."""

from __future__ import annotations

import json

import msgspec
import pytest
from kafka import KafkaProducer

from streams.wire.codec import encode
from streams.wire.messages.events import QueryAsked, RowChanged
from tests.fixtures.cli import sigma
from tests.fixtures.reading import read_all
from tests.fixtures.worker_processes import PEOPLE, page, worker_processes

pytestmark = [pytest.mark.integration, pytest.mark.redis]

CODECS = (None, "gzip", "snappy", "lz4", "zstd")
EACH = 40  # rows a codec
QUESTIONS = ("sex = 'F'", "city = 'Rome'", "job = 'cook'", "sex = 'M'", "city = 'Oslo'")


def send(kafka, topic, codec, pairs):
    """Key and value of each record, in batches of this codec."""
    producer = KafkaProducer(
        bootstrap_servers=kafka.bootstrap, compression_type=codec, linger_ms=50
    )
    for key, value in pairs:
        producer.send(topic.name, key=key.encode(), value=value)
    producer.close()


def rows(codec):
    """People whose ids name the codec they come in."""
    for number in range(EACH):
        row = {"sex": "F", "city": "Rome", "job": ("cook", "nurse")[number % 2]}
        id_ = f"{codec}-{number}"
        yield id_, encode(RowChanged(op="insert", id=id_, row=row))


def question(codec, where):
    """One question whose request id names the codec it comes in."""
    event = QueryAsked(request_id=f"asked-in-{codec}", client="ada", where=where)
    return event.client, encode(event)


def counted(member):
    """Records that the counter has taken."""
    lines = page(member, "metrics").splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("sigma_records_total{")
    )


def test_rows_and_questions_in_every_codec_are_counted_and_answered(
    kafka, redis_server, dataset, tmp_path
):
    """As a Java client may send them; doctor and verify read them alike."""
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        topics = processes.topics
        for codec in CODECS:
            send(kafka, topics.rows, codec, rows(codec))
        (counter,) = processes.start("counter")
        processes.start("curator")
        processes.start("responder")
        for codec, where in zip(CODECS, QUESTIONS, strict=True):
            send(kafka, topics.queries, codec, [question(codec, where)])

        answers = processes.wait(lambda: all_answered(kafka, topics))
        processes.wait(lambda: counted(counter) == EACH * len(CODECS))
        environment = {
            name.removeprefix("SIGMA_").lower(): value
            for name, value in processes.place.environment("admin").items()
        }
        verified = sigma("verify", "--json", **environment)
        seen = sigma("doctor", "--json", **environment)

    assert set(answers.values()) == {"ok"}
    assert verified.code == 0, verified
    assert json.loads(verified.out)["equal"]
    assert "Traceback" not in seen.err


def all_answered(kafka, topics):
    """Request id → status, once every codec's question is answered."""
    records = read_all(kafka.bootstrap, topics.results, expected=len(CODECS), seconds=2)
    told = [msgspec.json.decode(record.value) for record in records]
    found = {each["request_id"]: each["status"] for each in told}
    return found if len(found) == len(CODECS) else None
