"""Looking after topics, on both brokers."""

import dataclasses
import time

import pytest
from aiokafka import AIOKafkaProducer

from sigmacount.errors import Mismatch, StreamUnavailable
from streams.admin.topic_facts import Difference
from streams.admin.topics_admin import Admin
from streams.wire.topics import Topic, Topics
from tests.fixtures.batches import consumer_of, read
from workers.answering.asking.broker_time import APPENDED

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


@pytest.fixture
def admin(kafka):
    """A connection to the broker under test."""
    with Admin(kafka.bootstrap) as admin:
        yield admin


@pytest.fixture
def topics(kafka):
    """Seven topics that nobody else has, not yet made."""
    return Topics.named(f"{kafka.topic()}.", partitions=3)


def test_what_it_creates_passes_its_check(admin, topics):
    """Every topic of a deployment, with every setting we ask for."""
    made = admin.create(topics.all())

    assert sorted(made) == sorted(topic.name for topic in topics.all())
    assert [d for d in admin.check(topics.all()) if not d.unknown] == []


def test_creating_twice_changes_nothing(admin, topics):
    """The second time there is nothing to make."""
    admin.create(topics.all())
    before = admin.facts(topics.rows.name)

    assert admin.create(topics.all()) == []
    assert admin.facts(topics.rows.name) == before


def test_a_missing_topic_is_named_with_its_remedy(admin, topics):
    """The words tell what to type."""
    (found,) = admin.check([topics.rows])

    assert str(found) == (
        f"{topics.rows.name} is missing; `sigma topics create` makes it"
    )


def test_a_difference_is_told_in_words(admin, topics):
    """Partitions and policy differ: what is, what should be, what to do."""
    admin.create([topics.rows])
    other = dataclasses.replace(
        topics.rows, partitions=5, cleanup="delete", retention_ms=7
    )

    words = {d.setting: str(d) for d in admin.check([other])}

    assert words["partitions"] == (
        f"{other.name}: partitions is 3, should be 5"
        " (the number of partitions cannot be changed: keys would move)"
    )
    assert "cleanup.policy is compact, should be delete" in words["cleanup.policy"]


def test_a_mute_broker_is_not_called_wrong(kafka, admin):
    """A setting the broker does not tell is unknown, and may be right."""
    asked = Topic(kafka.topic(), None, "key", 1, "delete", retention_ms=7_000)

    found = {d.setting: d for d in admin.check([asked])}

    assert found["retention.ms"].unknown is (kafka.kind == "embedded")


def test_unknown_reads_as_unknown():
    """The words of a mute broker."""
    mute = Difference("t", "retention.ms", "7", None)

    assert str(mute) == "t: retention.ms is unknown on this broker"


def test_another_topic_of_the_same_name_has_another_id(kafka, admin):
    """What a counter compares with the id it stored."""
    one, two = admin.facts(kafka.topic()), admin.facts(kafka.topic())

    assert one.topic_id != two.topic_id
    assert len(one.topic_id) == 36


def test_the_cluster_has_an_id(admin):
    """What a counter compares with the cluster it knew."""
    assert admin.cluster_id() == admin.cluster_id() != ""


def test_delete_retention_is_told(admin, topics):
    """How long a counter may be away: seven days in a topic of ours."""
    admin.create([topics.rows])

    found = admin.facts(topics.rows.name)

    assert found.milliseconds("delete.retention.ms") == 7 * 86_400_000
    assert found.milliseconds("no.such.setting") is None


async def test_the_ends_are_exact(kafka, admin):
    """Also on a broker whose ListOffsets is wrong, and for an empty partition."""
    topic = kafka.topic(3)
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        for i in range(1000):
            await producer.send(topic, b"x", partition=i % 2)

    assert admin.earliest(topic) == {0: 0, 1: 0, 2: 0}
    assert admin.latest(topic) == {0: 500, 1: 500, 2: 0}


def test_the_ends_of_no_topic_are_a_mismatch(admin):
    """The operator is told which topic is missing."""
    with pytest.raises(Mismatch, match="nowhere is missing"):
        admin.latest("nowhere")


def test_no_broker_is_unavailable():
    """Nobody listens on that port: try again later."""
    with pytest.raises(StreamUnavailable):
        Admin("127.0.0.1:1", timeout_seconds=0.3)


async def test_the_broker_stamps_questions_whatever_their_sender_says(
    kafka, admin, topics
):
    """Its clock measures their age. The embedded broker is told so and does not."""
    admin.create([topics.queries])
    began = time.time() * 1000
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        await producer.send_and_wait(
            topics.queries.name, b"{}", partition=0, timestamp_ms=1
        )
    async with consumer_of(kafka, topics.queries.name) as consumer:
        [batch] = (await read(consumer, 1))[0]
    [record] = batch.records

    if kafka.kind == "apache":
        assert record.timestamp_type == APPENDED
        assert record.timestamp >= began - 60_000
    else:
        assert (record.timestamp_type, record.timestamp) == (0, 1)
