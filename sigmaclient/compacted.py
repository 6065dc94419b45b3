"""A compacted topic read as a table: the last value of every key."""

from __future__ import annotations

from typing import Any

from streams.clients.batch_by_batch import noted_in_the_log
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.records import Position, TopicPartition
from streams.wire.topics import MAX_MESSAGE_BYTES, Topic


async def last_values(
    bootstrap: str,
    topic: Topic,
    **kafka: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
) -> dict[bytes, bytes]:
    """What ``topic`` holds now, by key; a key whose last value is null is not there.

    Raises:
        StreamUnavailable: the broker did not answer; try again.
        Mismatch: there is no such topic.
    """

    async def place(here: set[TopicPartition]) -> dict[TopicPartition, Position]:
        return dict.fromkeys(here, "earliest")

    settings = {"max_partition_fetch_bytes": MAX_MESSAGE_BYTES} | kafka
    found: dict[bytes, bytes] = {}
    async with BatchConsumer(
        bootstrap,
        [topic.name],
        None,
        on_assigned=place,
        on_unreadable=noted_in_the_log,
        **settings,
    ) as reader:
        ends = await reader.ends()
        while not reader.caught_up(ends):
            for batch in (await reader.next_batch()).values():
                for record in batch.records:
                    found.pop(record.key or b"", None)
                    if record.value is not None:
                        found[record.key or b""] = record.value
    return found
