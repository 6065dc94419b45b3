"""The topic `ledger`, on both brokers: read whole, appended to, kept for ever."""

from __future__ import annotations

import pytest

from sigmacount.errors import StreamUnavailable
from streams.admin.topics_admin import Admin
from streams.audit.summary import TrailMark
from streams.audit.topic import AuditTopic
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.messages.audit_events import EpochAnnounced
from streams.wire.topics import Topics
from tests.fixtures.in_memory import MemoryConsumer

pytestmark = [pytest.mark.integration, pytest.mark.kafka]


@pytest.fixture
def topic(kafka):
    """An empty one."""
    named = Topics.named(f"{kafka.topic()}.").ledger
    with Admin(kafka.bootstrap) as admin:
        admin.create([named])
    return named


def of(kafka, topic, dataset="census"):
    """The trail of one dataset."""

    def reader(offset):
        async def place(here):
            return dict.fromkeys(here, "earliest" if offset is None else offset)

        return BatchConsumer(kafka.bootstrap, [topic.name], None, on_assigned=place)

    sender = Publisher(kafka.bootstrap, linger_ms=0)
    return AuditTopic(topic, dataset, sender, reader)


def event(epoch, dataset="census"):
    """A message."""
    return EpochAnnounced(dataset=dataset, token=1, served=0, at_ms=1, epoch=epoch)


async def test_all_that_was_appended_is_read_in_order(kafka, topic):
    """An empty topic is read, too; another dataset's messages are not ours."""
    async with of(kafka, topic) as ours, of(kafka, topic, "other") as theirs:
        assert await ours.read() == []
        await ours.append([event(1), event(2)])
        await theirs.append([event(9, "other")])
        await ours.append([event(3)])

        assert await ours.read() == [event(1), event(2), event(3)]
        assert await theirs.read() == [event(9, "other")]


async def test_what_came_behind_a_message_is_read(kafka, topic):
    """If it stands in its place, and no other does; another dataset's may be it."""
    found = []
    async with of(kafka, topic) as ours, of(kafka, topic, "other") as theirs:
        assert await ours.follow(found.extend) is None
        await ours.append([event(1), event(2)])
        await theirs.append([event(9, "other")])
        mark = await ours.follow(found.extend)
        await ours.append([event(3)])

        end = await ours.follow(found.extend, mark)
        same = await ours.follow(found.extend, end)
        other = await ours.follow(found.extend, TrailMark(end.offset, mark.digest))

    assert found == [event(1), event(2), event(3)]
    assert (same, other) == (end, None)


async def test_what_cannot_be_read_is_stepped_over(kafka, topic):
    """Only a curator may write here; who did all the same stops nobody."""
    async with of(kafka, topic) as ours, Publisher(kafka.bootstrap) as anybody:
        await anybody.send_raw(topic.name, b"k", b"\xff")
        await anybody.send_raw(topic.name, b"k", None)
        await anybody.flush()
        await ours.append([event(1)])

        assert await ours.read() == [event(1)]


async def test_a_topic_whose_partition_is_not_known_is_not_an_empty_one(topic):
    """A store that went back would pass for one that is ahead of its topic."""

    class Nowhere(MemoryConsumer):
        async def ends(self):
            return {}

        def caught_up(self, ends):
            return not ends

    with pytest.raises(StreamUnavailable, match="not known yet"):
        await AuditTopic(
            topic, "census", Publisher("any:1"), lambda _: Nowhere()
        ).read()


def test_nothing_of_it_is_ever_dropped(kafka, topic):
    """Neither for its age nor for its size; the embedded broker keeps no settings."""
    with Admin(kafka.bootstrap) as admin:
        configs = admin.facts(topic.name).configs

    if kafka.kind == "apache":
        assert configs["retention.ms"] == configs["retention.bytes"] == "-1"
        assert configs["cleanup.policy"] == "delete"
    assert topic.configs()["retention.ms"] == "-1"
