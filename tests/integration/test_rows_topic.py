"""The rows topic becomes another one under a running counter: nothing is mixed.

Whole worker processes, on both brokers.
"""

from __future__ import annotations

import signal
import zlib

import pytest

from embedded.deployment import PARTITIONS
from tests.fixtures import apache_kafka
from tests.fixtures.kafka_server import await_answer
from tests.fixtures.one_counter import NEW, OLD, counting

pytestmark = [
    pytest.mark.integration,
    pytest.mark.chaos,
    pytest.mark.redis,
]


@pytest.fixture
def deployed(kafka, redis_server, dataset, tmp_path):
    """A counter that has counted all rows of the old topic."""
    yield from counting(kafka.bootstrap, redis_server, dataset, tmp_path)


def assert_refused(deployed, counts):
    """It ended with the remedy, and what it had counted is as it was."""
    code, log = deployed.ends()
    assert code == 1, log
    assert "sigma rebuild" in log or "sigma topics create" in log, log
    assert deployed.books.counts() == counts
    assert deployed.books.row_map() == counts


def test_a_topic_made_anew_under_a_paused_counter(deployed, kafka):
    """It wakes up at a position that the new topic has, too, with other rows."""
    counts = deployed.books.counts()
    deployed.signal(signal.SIGSTOP)
    deployed.renew("Rome")
    deployed.signal(signal.SIGCONT)

    assert_refused(deployed, counts)


def test_a_topic_made_anew_under_a_running_counter(deployed, kafka):
    """Quickly, so that the group may not even see that it was away."""
    counts = deployed.books.counts()

    deployed.renew("Rome")

    assert_refused(deployed, counts)


@pytest.fixture
def apache(kafka):
    """Asked for before ``deployed``, so that nothing is set up in vain."""
    if kafka.kind == "embedded":
        pytest.skip("the embedded broker cannot add partitions; one broker is enough")


def test_a_topic_that_is_deleted(apache, deployed, kafka):
    """It ends and says so, rather than to hold no partition for ever."""
    counts = deployed.books.counts()
    with deployed.admin() as admin:
        admin.delete_topics([deployed.name])

    assert_refused(deployed, counts)


def test_partitions_that_are_added(apache, deployed, kafka):
    """Nobody would read them: ids that belong there were sent elsewhere before."""
    counts = deployed.books.counts()
    with deployed.admin() as admin:
        admin.create_partitions({deployed.name: PARTITIONS + 2})

    code, log = deployed.ends()

    assert code == 1, log
    assert "another number of partitions" in log
    assert "sigma rebuild" in log
    assert deployed.books.counts() == counts


def test_a_producer_with_another_partitioner(apache, deployed, kafka):
    """The default of librdkafka: each person would count in two partitions."""
    counts = deployed.books.counts()

    deployed.send(OLD, "Oslo", lambda key: zlib.crc32(key) % PARTITIONS)

    code, log = deployed.ends()
    assert code == 1, log
    assert "partitioner=murmur2_random" in log
    assert deployed.books.counts() == counts
    assert sum(counts.values()) == OLD


@pytest.fixture
def server(apache, kafka):
    """An Apache Kafka of this test alone: it will be exchanged for another."""
    server = apache_kafka.apache_kafka()
    server.start()
    try:
        await_answer(server.bootstrap)
        yield server
    finally:
        server.stop()


def test_the_broker_comes_back_and_then_another_in_its_place(
    server, redis_server, dataset, tmp_path
):
    """A restart is waited for; another cluster is refused, at a next start, too."""
    for deployed in counting(server.bootstrap, redis_server, dataset, tmp_path):
        if hasattr(server, "kill"):  # a container's log ends with it
            server.kill()
            server.start()
            await_answer(server.bootstrap)
            deployed.send(OLD, "Turin")
            deployed.books.wait_for(2 * OLD)
            assert deployed.member.process.poll() is None
        counts = deployed.books.counts()

        server.stop()
        server.start()
        await_answer(server.bootstrap)
        with deployed.admin() as admin:
            deployed.make(admin)
        deployed.send(NEW, "Rome")

        assert_refused(deployed, counts)
        deployed.member.start()
        assert_refused(deployed, counts)
