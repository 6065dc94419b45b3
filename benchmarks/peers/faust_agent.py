"""The counter's job as a plain Faust agent: rows by id and counts by cell in tables.

Run:  python -m benchmarks.peers.faust_agent BOOTSTRAP TOPIC EVENTS PARTITIONS
Prints rows a second, and the number of live rows as a check that it did the work.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sized
from typing import Any

import faust

ATTRIBUTES = ("age", "workclass", "edu", "sex", "state")


def tuned(bootstrap: str, partitions: int) -> faust.App:
    """An app with the settings that made the agent fastest."""
    app = faust.App(
        f"plain-agent-{time.time_ns()}",
        broker=f"kafka://{bootstrap}",
        store="memory://",
        datadir=tempfile.mkdtemp(prefix="plain-agent-"),
        topic_partitions=partitions,
        topic_replication_factor=1,
        broker_session_timeout=6.0,
        broker_heartbeat_interval=2.0,
        broker_rebalance_timeout=6.0,
        consumer_auto_offset_reset="earliest",
        stream_buffer_maxsize=16_384,
        stream_wait_empty=False,
        producer_linger=0.05,
        web_enabled=False,
        worker_redirect_stdouts=False,
    )
    app.producer.buffer.max_messages = 1_000_000  # else it pauses at every hundredth
    return app


def cell(event: dict) -> str | None:
    """Where the row now is, or None for one that is gone."""
    if event["op"] == "delete":
        return None
    return "|".join(str(event["row"][name]) for name in ATTRIBUTES)


def finish(events: int) -> Callable[[Sized], None]:
    """Called after every event; prints the rate after the last, and ends it all."""
    seen, began = 0, 0.0

    def done(rows: Sized) -> None:
        nonlocal seen, began
        seen, began = seen + 1, began or time.perf_counter()
        if seen == events:
            rate = events / (time.perf_counter() - began)
            print(f"\n{rate:.0f} {len(rows)}", flush=True)
            os._exit(0)  # nothing is left to be told, and a worker stops slowly

    return done


def main(bootstrap: str, topic: str, events: int, partitions: int) -> None:
    """Count until all events are read, then stop the worker."""
    app = tuned(bootstrap, partitions)
    rows = app.Table("rows", partitions=partitions)
    cells = app.Table("cells", default=int, partitions=partitions)
    source = app.topic(topic, value_serializer="json")
    done = finish(events)

    @app.agent(source)
    async def count(stream: faust.StreamT[Any]) -> None:
        async for event in stream:
            before, after = rows.get(event["id"]), cell(event)
            if after is not None:
                rows[event["id"]] = after
                cells[after] += 1
            elif before is not None:
                del rows[event["id"]]
            if before is not None:
                cells[before] -= 1
            done(rows)

    worker = faust.Worker(app, loglevel="CRITICAL", quiet=True)
    worker.execute_from_commandline()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
