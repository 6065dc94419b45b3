"""How many partitions a topic has, asked so that the broker never makes it."""

from __future__ import annotations

from typing import Any

from aiokafka.protocol.metadata import MetadataRequest


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
