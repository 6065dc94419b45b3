"""`getmany` and msgspec, nothing else: what the broker and Python allow."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec

from benchmarks.consumer import consumer
from benchmarks.counting import BATCH
from benchmarks.rows import SCHEMA
from streams.wire.records import StartPositions, TopicPartition


def read(bootstrap: str, topic: str, rows: int) -> float:
    """Rows a second that are read and decoded, of so many that the topic holds."""
    return asyncio.run(_read(bootstrap, topic, rows))


async def _read(bootstrap: str, topic: str, rows: int) -> float:
    row = msgspec.defstruct("Row", [(name, object) for name in SCHEMA.names])
    fields: list[tuple[str, Any, Any] | tuple[str, Any]] = [
        ("op", str),
        ("id", str),
        ("row", row | None, None),
    ]
    decode = msgspec.json.Decoder(msgspec.defstruct("Event", fields, gc=False)).decode

    async def assigned(ours: set[TopicPartition]) -> StartPositions:
        return dict.fromkeys(ours, "earliest")

    seen = 0
    async with consumer(bootstrap, topic, None, assigned, max_records=BATCH) as reading:
        began = time.perf_counter()
        while seen < rows:
            for batch in (await reading.next_batch(0.5)).values():
                for record in batch.records:
                    decode(record.value or b"")
                seen += len(batch.records)
        return rows / (time.perf_counter() - began)
