"""The partition of a record, and how many there are, asked so that none is made."""

from __future__ import annotations

import random
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final

from aiokafka.errors import UnknownTopicOrPartitionError
from aiokafka.partitioner import murmur2
from aiokafka.protocol.metadata import MetadataRequest

from streams.clients.outgoing.record import OutgoingRecord

POSITIVE: Final = 2**31 - 1  # a hash of Java's is signed; its other bits count
KEPT_HASHES: Final = 2**14  # of keys that come again: clients, and queries in the log

_hashed = lru_cache(KEPT_HASHES)(murmur2)


def partition_of(record: OutgoingRecord, there: AbstractSet[int]) -> int:
    """The partition that a record names, else that of its key, else any of ``there``.

    By Kafka's own rule, murmur2 of the key, so that equal keys meet in one partition,
    whichever client sent them.

    Raises:
        UnknownTopicOrPartitionError: the one that it names is not there.
    """
    if record.partition is not None:
        if record.partition not in there:
            raise UnknownTopicOrPartitionError(record.topic)
        return record.partition
    if record.key is None:
        return random.randrange(len(there))  # noqa: S311 - where says nothing
    return int(_hashed(record.key) & POSITIVE) % len(there)


async def partition_count(client: Any, topic: str) -> int | None:  # noqa: ANN401
    """How many, or None where there is no such topic, or none for us.

    A client would ask so that a broker with ``auto.create.topics.enable`` makes what
    it does not have. Of what the client itself knows the fewer count: it refuses to
    write to a partition that it has not seen.

    Raises:
        StreamUnavailable: the broker knows the topic and not who leads it; try again.
    """
    request = MetadataRequest([topic], allow_auto_topic_creation=False)
    answer = await client.send(client.get_random_node(), request)
    found = {each[1]: each for each in answer.topics}.get(topic)
    if found is None or (there := len(found[-1])) == 0:
        return None
    known = client.cluster.partitions_for_topic(topic)
    return there if not known else min(there, len(known))
