"""An unmodified Debezium connector feeds the counters from PostgreSQL."""

from __future__ import annotations

import json
import os

import pytest
from redis import Redis

from cli.command import SIGMA
from config.declarations.datasets import load_schema
from embedded.worker_processes import WorkerProcess
from store.keys import Keys
from tests.fixtures import debezium, debezium_people, postgres
from tests.fixtures.cli import sigma
from tests.fixtures.debezium_people import DECLARED, INSERT, TABLE, WITH_TYPES
from tests.fixtures.stream_of_rows import Books
from tests.fixtures.until import until
from tests.fixtures.worker_processes import kill

pytestmark = [pytest.mark.integration, pytest.mark.kafka, pytest.mark.redis]

PARTITIONS = 3
JSON = "org.apache.kafka.connect.json.JsonConverter"
PLAIN = {
    "key__converter": JSON,
    "key__converter__schemas__enable": "false",
    "value__converter": JSON,
    "value__converter__schemas__enable": "false",
}
FLATTENED = {
    "transforms": "unwrap",
    "transforms__unwrap__type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms__unwrap__delete__tombstone__handling__mode": "rewrite",
}
# A truncate has no key, which a compacted topic would not take.
FOR_EVER = {
    "topic__creation__default__cleanup__policy": "delete",
    "topic__creation__default__retention__ms": "-1",
}


class Counted:
    """One connector, the counter of its topic, and what that has counted."""

    def __init__(self, name, declared, bootstrap, redis_server, folder):
        path = folder / f"{name}.toml"
        path.write_text(declared.format(name=name))
        self.schema, self.redis = load_schema(path), Redis.from_url(redis_server.url)
        self.books = Books(self.redis, Keys(name), PARTITIONS)
        self.settings = {
            "dataset": str(path),
            "kafka_bootstrap": bootstrap,
            "kafka_prefix": f"{name}.",
            "redis_url": redis_server.url,
            "rows_format": "debezium",
            "rows_topic": f"{name}.public.people",
            "counter_dead_letter_ratio": "1",
        }
        environment = {f"SIGMA_{k.upper()}": v for k, v in self.settings.items()}
        log = folder / f"{name}.log"
        self.worker = WorkerProcess(SIGMA, "counter", "counter", environment, log)

    def agrees(self, server):
        """What is counted, in both of the store's books, is what the database holds."""
        truth = debezium_people.counted_by_hand(server, self.schema)
        return self.books.counts() == self.books.row_map() == truth

    def refused(self):
        """The reasons of its dead letters."""
        listed = sigma("dead-letters", "list", "--json", "--all", **self.settings).out
        return [json.loads(line)["reason"] for line in listed.splitlines()]


def missing():
    """Why this cannot run here, or None."""
    return postgres.missing() or debezium.JARS.missing()


@pytest.fixture
def server(kafka):
    """PostgreSQL, where Apache Kafka is, too."""
    if kafka.kind != "apache":
        pytest.skip("once is enough, on Apache Kafka")
    if reason := missing():
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with postgres.Postgres() as running:
        running.sql(TABLE + INSERT.format(first=1, last=40))
        yield running


@pytest.fixture
def connect(server, kafka, dataset):
    """Two connectors: whole events with their schema, and rows alone without."""
    whole = debezium.connector(f"{dataset}w", server.port, **FOR_EVER)
    flat = debezium.connector(f"{dataset}f", server.port, **PLAIN, **FLATTENED)
    with debezium.Connect(kafka.bootstrap, whole, flat) as running:
        yield running


@pytest.fixture
def both(connect, kafka, redis_server, dataset, tmp_path):
    """A counter for each connector, on topics that these made."""
    here = kafka.bootstrap, redis_server, tmp_path
    whole = Counted(f"{dataset}w", DECLARED + WITH_TYPES, *here)
    flat = Counted(f"{dataset}f", DECLARED, *here)
    for each in (whole, flat):
        assert sigma("topics", "create", **each.settings).out
        until(lambda each=each: "public.people is missing" not in checked(each))
        each.worker.start()
    try:
        yield whole, flat
    finally:
        for each in (whole, flat):
            kill(each.worker)
            each.redis.close()


def checked(each):
    """What is said of its topics."""
    return sigma("topics", "check", **each.settings).out


def restarted(server, connect, worker):
    """Both sides end, and begin again after the database went on."""
    connect.stop()
    kill(worker)
    server.sql(
        "DELETE FROM people WHERE id = 9; UPDATE people SET age = 21 WHERE id = 10"
    )
    connect.start()
    worker.start()


def assert_agreed_upon(both):
    """An operator's own verbs read the same rows in the same way."""
    for each in both:
        told = sigma("verify", **each.settings)
        assert told.code == 0, told.out + told.err
        assert "is the topic that was counted" in sigma("doctor", **each.settings).out


def test_a_recount_of_the_topic_is_what_the_database_says(both, server, connect):
    """Snapshot, changes, a new primary key, restarts of both sides, and a truncate."""
    whole, flat = both

    def agree():
        until(
            lambda: whole.agrees(server) and flat.agrees(server),
            otherwise=lambda: (whole.refused(), connect.last_words()),
        )

    agree()  # the snapshot

    server.sql(INSERT.format(first=41, last=60))
    server.sql(
        "UPDATE people SET job = 'nurse', age = 79 WHERE id % 7 = 1 AND id % 4 > 0;"
        "DELETE FROM people WHERE id % 11 = 3;"
        "UPDATE people SET id = id + 1000 WHERE id IN (5, 6, 7);"  # another key
        "SELECT pg_logical_emit_message(true, 'a', 'message');"
    )
    agree()

    restarted(server, connect, whole.worker)
    agree()

    server.sql("UPDATE people SET age = 22 WHERE id = 12")  # its story is left out
    until(lambda: "unavailable_value" in whole.refused())
    server.sql(
        "ALTER TABLE people REPLICA IDENTITY FULL;"
        "UPDATE people SET age = 23 WHERE id = 12"
    )
    agree()

    assert_agreed_upon(both)
    assert set(whole.refused()) == {"unavailable_value"}
    assert flat.refused() == []

    assert sigma("rebuild", "--yes", **whole.settings).code == 0
    server.sql(INSERT.format(first=61, last=80))  # in each partition: the fence fell
    agree()

    server.sql("TRUNCATE people")
    until(lambda: "truncated" in whole.refused())
    assert not whole.agrees(server)
