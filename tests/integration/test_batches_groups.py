"""Sharing partitions: joins, leaves, kills and broker outages lose nothing."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer

from streams.clients.batch_consumer import BatchConsumer
from streams.clients.leader_consumer import LeaderConsumer
from streams.clients.publisher import Publisher
from streams.wire.records import TopicPartition
from tests.fixtures import apache_kafka, group_member
from tests.fixtures.batches import at, read, values, write
from tests.fixtures.kafka_server import SESSION_MS
from tests.fixtures.until import CEILING, eventually

pytestmark = [pytest.mark.integration, pytest.mark.kafka]

PARTITIONS = 4
ROOT = Path(__file__).parents[2]


class Member:
    """A consumer that keeps, per partition, the spans it read while it was its own."""

    def __init__(self, bootstrap, topic):
        self.spans = []
        self.owned, self.revoked = [], []
        self.consumer = BatchConsumer(
            bootstrap,
            [topic],
            f"{topic}-g",
            on_assigned=self._assigned,
            on_revoked=self._revoked,
            max_records=50,
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=300,
        )

    async def _assigned(self, partitions):
        self.owned.append({tp.partition for tp in partitions})
        return dict.fromkeys(partitions, "committed")

    async def _revoked(self, partitions):
        self.revoked.append({tp.partition for tp in partitions})

    async def run(self):
        """Read and commit until cancelled or stopped."""
        async with self.consumer as consumer:
            async for batches in consumer:
                for tp, batch in batches.items():
                    self.spans.append((tp.partition, batch.start, batch.end))
                await consumer.commit({tp: b.end for tp, b in batches.items()})


async def write_for_ever(bootstrap, topic, written):
    """Records to every partition in turn, until cancelled; counts them."""
    async with AIOKafkaProducer(bootstrap_servers=bootstrap) as producer:
        while True:
            for partition in range(PARTITIONS):
                await producer.send_and_wait(topic, b"x", partition=partition)
                written[partition] += 1
            await asyncio.sleep(0.005)


def covered(spans, partition):
    """The position up to which every record of a partition was read, from 0 on."""
    reached = 0
    for _, start, end in sorted(span for span in spans if span[0] == partition):
        if start > reached:
            break
        reached = max(reached, end)
    return reached


def all_covered(spans, written):
    """Every record that was acknowledged was read."""
    return all(covered(spans, p) >= n for p, n in enumerate(written))


async def test_a_joining_and_a_leaving_member_lose_no_record(kafka):
    """One member, then two that share, then one again, while records flow."""
    topic, written = kafka.topic(PARTITIONS), [0] * PARTITIONS
    writer = asyncio.create_task(write_for_ever(kafka.bootstrap, topic, written))
    one, two = Member(kafka.bootstrap, topic), Member(kafka.bootstrap, topic)
    first = asyncio.create_task(one.run())
    await eventually(lambda: one.spans)

    second = asyncio.create_task(two.run())
    await eventually(lambda: two.spans)
    shared = [one.owned[-1], two.owned[-1]]
    await two.consumer.stop()
    await second
    await eventually(lambda: one.owned[-1] == set(range(PARTITIONS)))

    writer.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await writer
    await eventually(lambda: all_covered(one.spans + two.spans, written))
    await one.consumer.stop()
    await first
    assert [len(share) for share in shared] == [2, 2]
    assert set.union(*shared) == set(range(PARTITIONS))
    assert one.revoked[0] == set(range(PARTITIONS))


async def test_a_killed_member_is_replaced_from_its_last_commit(kafka):
    """SIGKILL: no goodbye; the group deals its partitions out again."""
    topic, written = kafka.topic(PARTITIONS), [0] * PARTITIONS
    writer = asyncio.create_task(write_for_ever(kafka.bootstrap, topic, written))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        group_member.__name__,
        kafka.bootstrap,
        topic,
        f"{topic}-g",
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    spans = []
    while len(spans) < 20:
        line = json.loads(await asyncio.wait_for(process.stdout.readline(), CEILING))
        spans += [tuple(span) for span in line.get("read", [])]

    process.send_signal(signal.SIGKILL)
    rest = (await process.communicate())[0].splitlines()
    spans += [tuple(s) for line in rest for s in json.loads(line).get("read", [])]
    heir = Member(kafka.bootstrap, topic)
    running = asyncio.create_task(heir.run())
    await eventually(lambda: heir.spans)
    writer.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await writer

    await eventually(lambda: all_covered(spans + heir.spans, written))
    await heir.consumer.stop()
    await running


async def test_a_broker_that_comes_back_is_taken_up_again():
    """A crash of the broker is a pause: nothing is lost, nobody restarts."""
    if reason := apache_kafka.missing():
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    if apache_kafka.docker_answers():
        pytest.skip("a container gets another port when it starts again")
    server = apache_kafka.JarKafka().start()
    try:
        async with Publisher(server.bootstrap) as publisher:
            await _outage(server, publisher)
    finally:
        server.stop()


async def _outage(server, publisher):
    from kafka.admin import KafkaAdminClient

    with KafkaAdminClient(bootstrap_servers=server.bootstrap) as admin:
        admin.create_topics({"t": {"num_partitions": 1, "replication_factor": 1}})
    member = Member(server.bootstrap, "t")
    running = asyncio.create_task(member.run())
    await publisher.send_raw("t", None, b"before")
    await publisher.flush()
    await eventually(lambda: covered(member.spans, 0) == 1)

    server.kill()
    await asyncio.sleep(0.5)  # so long it is away
    await publisher.send_raw("t", None, b"during")
    await asyncio.to_thread(server.start)
    await publisher.flush()

    await eventually(lambda: covered(member.spans, 0) == 2)
    await member.consumer.stop()
    await running


async def test_a_sole_reader_goes_on_where_the_group_was_and_joins_nobody(kafka):
    """Two at once read everything; what one has done, the next one skips."""
    topic = kafka.topic(2)
    await write(kafka, topic, 5, 0)
    await write(kafka, topic, 5, 1)

    def sole():
        return LeaderConsumer(
            kafka.bootstrap,
            [topic],
            f"{topic}-g",
            on_assigned=at("committed"),
            session_timeout_ms=SESSION_MS,
        )

    async with sole() as one, sole() as two:
        assert len(await read(one, 10)) == len(await read(two, 10)) == 2
        assert await one.commit({TopicPartition(topic, 0): 3})
    async with sole() as three:
        found = await read(three, 7)

    assert values(found[0]) == [b"3", b"4"]
    assert len(values(found[1])) == 5
