"""Reply topics on a real broker: looked for, never made, and never a worker's end."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka.errors import TopicAuthorizationFailedError
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from msgspec.structs import replace
from prometheus_client import CollectorRegistry

from config.metrics import Metrics
from config.settings import InvalidSettings
from store.releases.released import Released
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.outgoing.record import OutgoingRecord
from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from streams.wire.codec import decode, encode
from streams.wire.messages.events import QueryAnswered, QueryAsked
from tests.fixtures.responder_steps import FEMALE, FEW, TTL, ResponderSteps
from tests.fixtures.until import eventually
from tests.shell.test_dead_letters import read_back
from workers.clients import load_settings
from workers.responder import Responder, ResponderConsumers, ResponderOptions
from workers.roles.parts import RoleParts

pytestmark = pytest.mark.kafka


@pytest.fixture
async def publisher(kafka):
    """One that is connected."""
    async with Publisher(kafka.bootstrap) as publisher:
        yield publisher


def there(kafka):
    """The names of all topics."""
    with KafkaAdminClient(bootstrap_servers=kafka.bootstrap) as admin:
        return set(admin.list_topics())


async def test_asking_for_a_topic_does_not_make_it(kafka, publisher):
    """This broker makes whatever a client of Kafka asks for in the usual way."""
    topic = kafka.topic(3)

    counts = [await publisher.partitions(name) for name in (topic, "nobodys")]

    assert counts == [3, None]
    assert "nobodys" not in there(kafka)


class Barred:
    """A producer to whom the broker forbids one topic, soon or late."""

    def __init__(self, producer, topic, *, late):
        self._producer, self._topic, self._late = producer, topic, late

    def __getattr__(self, name):
        return getattr(self._producer, name)

    async def partitions_for(self, topic):
        """As a producer does, but of that topic."""
        if topic == self._topic and not self._late:
            raise TopicAuthorizationFailedError(topic)
        return await self._producer.partitions_for(topic)

    async def send_batch(self, batch, topic, *, partition):
        """As a producer does, but to that topic."""
        if topic != self._topic:
            return await self._producer.send_batch(batch, topic, partition=partition)
        sent = asyncio.get_running_loop().create_future()
        sent.set_exception(TopicAuthorizationFailedError(topic))
        return sent


@pytest.mark.parametrize("late", [False, True])
async def test_a_topic_that_takes_no_answer_leaves_it_on_results(
    kafka, monkeypatch, late
):
    """It is there and not for us; the other answers of the batch are safe."""
    ours, theirs = kafka.topics(1).results, kafka.topic(1)
    started = Publisher._started  # noqa: SLF001

    async def barred(self, **settings):
        return Barred(await started(self, **settings), theirs, late=late)

    monkeypatch.setattr(Publisher, "_started", barred)
    async with Publisher(kafka.bootstrap) as publisher:
        await publisher.queue(going(ours, "first"))
        await publisher.queue(guest(theirs, lambda: going(ours, "moved")))
        await publisher.queue(going(ours, "last"))
        await publisher.flush()

    assert await heard(kafka, ours) == {"first", "moved", "last"}


async def test_a_partition_that_a_client_has_not_seen_is_as_good_as_none(kafka):
    """It was added since, or the topic is another one with fewer."""
    ours, theirs = kafka.topics(1).results, kafka.topic(1)

    async with Publisher(kafka.bootstrap) as publisher:
        record = guest(theirs, lambda: going(ours, "moved"))
        await publisher.queue(replace(record, partition=7))
        await publisher.flush()

    assert await heard(kafka, ours) == {"moved"}


def going(topic, request):
    """An answer on its way to a topic of ours."""
    answer = QueryAnswered(request_id=request, client="c", status="expired")
    return OutgoingRecord.of(topic, request, answer)


def guest(topic, instead):
    """An answer on its way to another's."""
    return OutgoingRecord(topic, b"k", b"v", guest=True, instead=instead)


async def heard(kafka, topic):
    """The request ids in a topic."""
    return {record.key.decode() for record in await read_back(kafka, topic.name)}


class Template:
    """Asks as Spring's ReplyingKafkaTemplate does, and hears one topic alone."""

    def __init__(self, kafka, questions, replies):
        self._questions, self._replies = questions, replies
        self._consumer = KafkaConsumer(
            replies, bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest"
        )
        self._producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)

    def send(self, where, correlation, *headers):
        """One question: the header of its reply's topic, and its correlation id."""
        event = QueryAsked(request_id=correlation.hex(), client="ada", where=where)
        named = ("kafka_replyTopic", self._replies.encode())
        about = [named, ("kafka_correlationId", correlation), *headers]
        self._producer.send(self._questions, encode(event), headers=about)

    def replies(self, number):
        """So many answers, by their correlation ids."""
        self._producer.flush()
        found = {}
        while len(found) < number:
            for records in self._consumer.poll(1_000).values():
                for record in records:
                    found[dict(record.headers)["kafka_correlationId"]] = record
        return found

    def close(self):
        """Of both."""
        self._consumer.close()
        self._producer.close()


class Alone(BatchConsumer):
    """In no group, so that nobody waits for others to join it."""

    async def commit(self, positions):
        """Nothing is kept of where it is."""
        del positions
        return True


@pytest.mark.redis
async def test_a_replying_template_hears_every_answer(kafka, redis, keys):
    """Also behind hostile headers, of which none ends the responder."""
    steps = await ResponderSteps.of(redis, keys, ["sex"])
    topics, replies = kafka.topics(1), kafka.topic(2)
    publisher = Publisher(kafka.bootstrap)

    def questions(assigned, revoked):
        async def begin(here):
            return dict.fromkeys(here, "earliest")

        del assigned, revoked
        return Alone(kafka.bootstrap, [topics.queries.name], None, on_assigned=begin)

    responder = Responder(
        steps.world.schema,
        Released(redis, keys),
        topics,
        publisher,
        DeadLetters(publisher, topics.dead_letters, "responder", ratio=1.0),
        ResponderConsumers(questions, steps.standing.consumers),
        ResponderOptions(0.95, TTL, 100, FEW, frozenset({replies})),
        Metrics(CollectorRegistry()),
    )
    stop = asyncio.Event()
    working = asyncio.create_task(responder.run(stop))
    await eventually(lambda: responder.describe() == {"epoch": 1} or working.done())
    template = await asyncio.to_thread(Template, kafka, topics.queries.name, replies)
    hostile = [
        ("kafka_replyPartition", b"\xff\xff\xff\xff"),
        ("kafka_replyPartition", b"\x7f\xff\xff\xff"),
        ("traceparent", b"\xff" * 1_000),
        ("tracestate", b""),
        ("kafka_replyTopic", replies.encode()),
    ]

    template.send(FEMALE, b"\x00\xff", ("kafka_replyPartition", bytes([0, 0, 0, 1])))
    for number, header in enumerate(hostile):
        template.send(FEMALE, bytes([number]), header)
    found = await asyncio.to_thread(template.replies, 1 + len(hostile))

    stop.set()
    await working
    template.close()
    assert {decode(QueryAnswered, r.value).status for r in found.values()} == {"ok"}
    assert found[b"\x00\xff"].partition == 1
    assert dict(found[b"\x01"].headers)["sigma.reply"] == b"no_such_partition"
    assert await heard(kafka, topics.results) == set()


def test_a_topic_that_workers_read_is_no_reply_topic(monkeypatch):
    """An answer there would be taken for a row, or for a question."""
    monkeypatch.setenv("SIGMA_DATASET", "people")
    monkeypatch.setenv("SIGMA_RESPONDER_REPLY_TOPICS", "team, sigma.results")
    assert RoleParts(load_settings(), "responder").reply_topics() == {
        "team",
        "sigma.results",
    }

    monkeypatch.setenv("SIGMA_RESPONDER_REPLY_TOPICS", "team,sigma.rows")
    with pytest.raises(InvalidSettings, match=r"sigma\.rows is read by workers"):
        RoleParts(load_settings(), "responder").reply_topics()
