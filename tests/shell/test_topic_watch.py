"""A topic is looked at over one connection, which is made anew when it broke."""

import asyncio
import time

import pytest
from kafka.admin import KafkaAdminClient

from sigmacount.errors import Mismatch, StreamUnavailable
from sigmacount.models import RowIdentity
from streams.admin.topic_facts import Stream
from streams.admin.topic_watch import TopicWatch
from streams.admin.topics_admin import Admin


class Line:
    """Stands in for an ``Admin``: a connection that may break."""

    def __init__(self, answers):
        self.answers, self.closed, self.asking = answers, False, 0

    def stream(self, name):
        """What the broker says of the topic, or that it is away."""
        assert name == "rows"
        self.asking += 1
        assert self.asking == 1, "two questions at once on one connection"
        time.sleep(0.02)  # as an answer takes a while: others would come in between
        answer = self.answers.pop(0)
        self.asking -= 1
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self):
        """Not used any more."""
        self.closed = True


class Lines:
    """Connects, and remembers every connection."""

    def __init__(self, *answers):
        self.answers, self.made = list(answers), []

    def __call__(self):
        """A new connection."""
        self.made.append(Line(self.answers))
        return self.made[-1]


HERE = Stream("t", "c", 3)


async def test_one_connection_serves_all_looks():
    """To connect takes longer than to ask."""
    lines = Lines(HERE, HERE, HERE)
    watch = TopicWatch(lines, "rows", "schema")

    found = await asyncio.gather(*(watch.identity() for _ in range(3)))

    assert set(found) == {RowIdentity("t", "c", 3, "schema")}
    assert len(lines.made) == 1
    await watch.aclose()
    assert lines.made[0].closed


async def test_a_broken_connection_is_not_asked_again():
    """The next look finds whoever is there then."""
    lines = Lines(StreamUnavailable("away"), HERE)
    watch = TopicWatch(lines, "rows", "schema")
    with pytest.raises(StreamUnavailable):
        await watch.identity()

    assert (await watch.identity()).topic_id == "t"

    assert [line.closed for line in lines.made] == [True, False]


async def seen_without_end(watch):
    """The topic is looked at until it is gone."""
    while True:
        await watch.identity()


@pytest.mark.kafka
async def test_a_topic_made_anew_is_another(kafka):
    """Of the same name, on the same broker; while it is away there is none."""
    name = kafka.topic(partitions=2)
    watch = TopicWatch(lambda: Admin(kafka.bootstrap), name, "schema")
    before = await watch.identity()
    assert await watch.identity() == before
    assert (before.partitions, before.strange(before)) == (2, None)

    with KafkaAdminClient(bootstrap_servers=kafka.bootstrap) as admin:
        admin.delete_topics([name])
        with pytest.raises(Mismatch, match="sigma topics create"):
            await seen_without_end(watch)
        admin.create_topics({name: {"num_partitions": 2, "replication_factor": 1}})

        assert before.strange(await watch.identity()) == "topic_id"
    await watch.aclose()
