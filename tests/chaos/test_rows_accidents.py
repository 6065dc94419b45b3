"""Transactions, aborts, holes by compaction, records that are gone: nothing is mixed.

A whole counter on Apache Kafka: the embedded broker shows aborted records, compacts
nothing and removes nothing. A topic made anew or grown is in
``tests/integration/test_rows_topic.py``.
"""

from __future__ import annotations

import itertools
import signal
import time

import msgspec
import pytest
from kafka import KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from embedded.deployment import PARTITIONS
from tests.fixtures.one_counter import OLD, counting
from tests.fixtures.reading import read_all
from tests.fixtures.stream_of_rows import CITIES
from tests.fixtures.until import until

pytestmark = [pytest.mark.chaos, pytest.mark.apache, pytest.mark.redis]

COMPACTING = {
    "cleanup.policy": "compact",
    "segment.ms": "100",
    "min.cleanable.dirty.ratio": "0.001",
}


@pytest.fixture
def deployed(kafka, redis_server, dataset, tmp_path):
    """A counter that has counted ``OLD`` people of Oslo."""
    yield from counting(kafka.bootstrap, redis_server, dataset, tmp_path)


def cell(city):
    """Its women, who are all that these tests send."""
    return 2 * CITIES.index(city)


def sent(producer, name, city, people):
    """These people now live in this city."""
    for n in people:
        row = {"city": city, "sex": "F"}
        value = msgspec.json.encode({"op": "insert", "id": f"t{n}", "row": row})
        producer.send(name, value, key=f"t{n}".encode())
    producer.flush()


def test_transactions_count_when_they_are_committed(deployed, figures):
    """Of every three, one is aborted; markers and aborted records leave holes."""
    name, committed = deployed.name, 0
    producer = KafkaProducer(
        bootstrap_servers=deployed.bootstrap, transactional_id=f"{name}-writer"
    )
    producer.init_transactions()
    for turn in range(9):
        producer.begin_transaction()
        people = range(turn * 50, turn * 50 + 50)
        if turn % 3 == 1:
            sent(producer, name, "Rome", people)
            producer.abort_transaction()
        else:
            sent(producer, name, "Paris", people)
            producer.commit_transaction()
            committed += 50
    producer.close()

    expected = {cell("Oslo"): OLD, cell("Paris"): committed}
    until(lambda: deployed.books.counts() == expected, otherwise=deployed.books.counts)
    assert deployed.books.row_map() == expected
    figures(f"9 transactions, 3 aborted: {committed} rows counted, no aborted one")


def holes(deployed, sent_records):
    """How many of the records are gone from the log."""
    topic = deployed.topics.rows
    found = read_all(deployed.bootstrap, topic, expected=1)
    return sent_records - len(found)


def test_holes_by_compaction_are_stepped_over(deployed, figures):
    """The counter is away while the log is compacted on both sides of where it was."""
    resource = ConfigResource(ConfigResourceType.TOPIC, deployed.name, COMPACTING)
    with deployed.admin() as admin:
        admin.alter_configs([resource])
    deployed.member.process.kill()
    deployed.member.process.wait()
    producer = KafkaProducer(bootstrap_servers=deployed.bootstrap)
    records = OLD
    for turn in itertools.count():
        sent(producer, deployed.name, CITIES[turn % len(CITIES)], range(200))
        records += 200
        if turn > len(CITIES) and (gone := holes(deployed, records)) > 200:
            break
        time.sleep(0.2)  # a segment's age is time
    sent(producer, deployed.name, "Wien", range(200))
    producer.close()

    deployed.member.start()

    expected = {cell("Oslo"): OLD, cell("Wien"): 200}
    until(lambda: deployed.books.counts() == expected, otherwise=deployed.books.counts)
    assert deployed.books.row_map() == expected
    figures(f"{gone:,} of {records:,} records compacted away: counts equal the rest")


@pytest.mark.parametrize("unread", [False, True])
def test_records_that_are_removed(deployed, figures, unread):
    """Behind the counter they are not missed; before it, it ends with the remedy."""
    counts = deployed.books.counts()
    deployed.signal(signal.SIGSTOP)
    if unread:
        deployed.send(OLD, "Rome")
    with deployed.admin() as admin:
        ends = {TopicPartition(deployed.name, p): -1 for p in range(PARTITIONS)}
        admin.delete_records(ends)
    deployed.signal(signal.SIGCONT)

    if unread:
        code, log = deployed.ends()
        assert (code, deployed.books.counts()) == (1, counts), log
        assert "sigma rebuild" in log
    else:
        deployed.send(OLD, "Turin")
        deployed.books.wait_for(2 * OLD)
        assert deployed.books.counts() == counts | {cell("Turin"): OLD}
    figures(f"topic cut {'before' if unread else 'behind'} the counter: as it should")
