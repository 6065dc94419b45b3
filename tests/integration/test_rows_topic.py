"""The rows topic becomes another one under a running counter: nothing is mixed.

Whole worker processes, on both brokers.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager

import msgspec
import pytest
from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient
from redis import Redis

from cli.demo.crew import Member
from cli.demo.embedded_kafka import EmbeddedKafka
from cli.demo.place import PARTITIONS, Place
from store.keys import Keys
from streams.topics import Topics
from tests.fixtures import apache_kafka
from tests.fixtures.kafka_server import await_answer
from tests.fixtures.stream_of_rows import DECLARED, Books

pytestmark = [pytest.mark.integration, pytest.mark.redis, pytest.mark.timeout(150)]

OLD, NEW = 300, 900  # more rows come to the new topic than the old one ever held


class Deployed:
    """One counter at work on a topic of its own, and what it has counted."""

    def __init__(self, bootstrap, topics, books, member):
        self.bootstrap, self.topics = bootstrap, topics
        self.books, self.member = books, member

    @property
    def name(self):
        """The rows topic."""
        return self.topics.rows.name

    def admin(self):
        """A connection for looking after topics."""
        return KafkaAdminClient(bootstrap_servers=self.bootstrap)

    def send(self, rows, city):
        """So many people, all in one city."""
        event = {"op": "insert", "row": {"city": city, "sex": "F"}}
        producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        for n in range(rows):
            id_ = f"{city}{n}"
            value = msgspec.json.encode(event | {"id": id_})
            producer.send(self.name, key=id_.encode(), value=value)
        producer.close()

    def renew(self, city):
        """The topic is deleted, made anew, and holds more than it did before."""
        with self.admin() as admin:
            old = admin.describe_topics([self.name])[0]["topic_id"]
            admin.delete_topics([self.name])
            self.make(admin, other_than=old)
        self.send(NEW, city)

    def make(self, admin, other_than=None):
        """The topic is there, and is another one."""
        wanted = {self.name: {"num_partitions": PARTITIONS, "replication_factor": 1}}
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            (topic,) = admin.describe_topics([self.name])
            if topic["error_code"] == 0 and topic["topic_id"] != other_than:
                return
            admin.create_topics(wanted, raise_errors=False)
            time.sleep(0.05)
        pytest.fail("the topic was not made anew")

    def ends(self, seconds=60):
        """The exit code of the counter, which must end by itself, and its log."""
        code = self.member.process.wait(seconds)
        return code, self.member.log.read_text()

    def signal(self, number):
        """To the counter."""
        os.kill(self.member.process.pid, number)


@pytest.fixture
def deployed(kafka, redis_server, dataset, tmp_path):
    """A counter that has counted all rows of the old topic."""
    yield from counting(kafka.bootstrap, redis_server, dataset, tmp_path)


def counting(bootstrap, redis_server, dataset, tmp_path):
    """See ``deployed``."""
    declared = tmp_path / "rows.toml"
    declared.write_text(DECLARED.format(name=dataset))
    topics = Topics.named(f"{dataset}.", PARTITIONS)
    urls = {"admin": redis_server.url}
    place = Place(bootstrap, f"{dataset}.", str(declared), urls, embedded=True)
    environment = place.environment("counter")
    member = Member("counter", "counter", environment, tmp_path / "counter.log")
    with Redis.from_url(redis_server.url) as redis:
        books = Books(redis, Keys(dataset), PARTITIONS)
        here = Deployed(bootstrap, topics, books, member)
        with here.admin() as admin:
            for topic in (topics.dead_letters, topics.rows):
                wanted = {"num_partitions": topic.partitions, "replication_factor": 1}
                admin.create_topics({topic.name: wanted})
            here.make(admin)
        here.send(OLD, "Oslo")
        member.start()
        try:
            books.wait_for(OLD, seconds=60)
            yield here
        finally:
            member.process.kill()
            member.process.wait()


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


@pytest.fixture(params=["embedded", "apache"])
def server(request):
    """A broker of this test alone: it will be exchanged for another."""
    if request.param == "apache" and (reason := apache_kafka.missing()):
        pytest.skip(reason)
    made = EmbeddedKafka if request.param == "embedded" else apache_kafka.apache_kafka
    with closing_server(made()) as server:
        yield server


@contextmanager
def closing_server(server):
    """Started, answering, and stopped at the end."""
    server.start()
    try:
        await_answer(server.bootstrap)
        yield server
    finally:
        server.stop()


def test_another_cluster_behind_the_same_address(
    server, redis_server, dataset, tmp_path
):
    """The counter refuses it, and so does the next one that is started."""
    for deployed in counting(server.bootstrap, redis_server, dataset, tmp_path):
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


def test_a_broker_that_dies_and_comes_back_is_the_same_stream(
    redis_server, dataset, tmp_path
):
    """Whatever it says while it starts: the counter waits, and counts on."""
    if reason := apache_kafka.missing():
        pytest.skip(reason)
    with closing_server(apache_kafka.apache_kafka()) as server:
        if not hasattr(server, "kill"):
            pytest.skip("a container's log ends with it")
        for deployed in counting(server.bootstrap, redis_server, dataset, tmp_path):
            server.kill()
            server.start()
            await_answer(server.bootstrap)
            deployed.send(OLD, "Rome")

            deployed.books.wait_for(2 * OLD, seconds=60)

            assert deployed.member.process.poll() is None
