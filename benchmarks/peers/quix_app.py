"""The same count as a Quix Streams application: state by id, then by cell.

Run:  python quix_app.py BOOTSTRAP TOPIC EVENTS FOLDER
Prints rows a second, and the number of live rows as a check that it did the work.

State is RocksDB with changelog topics, the guarantee is exactly-once, a commit each
five seconds (its default). The clock runs from the first record to the last count; the
last commit, up to five seconds later, is left out of it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from quixstreams import Application, State

ATTRIBUTES = ("age", "workclass", "edu", "sex", "state")
IDLE = 8.0  # seconds without a record after which it has read them all


def cell(event: dict) -> str | None:
    """Where the row now is, or None for one that is gone."""
    if event["op"] == "delete":
        return None
    return "|".join(str(event["row"][name]) for name in ATTRIBUTES)


def tuned(bootstrap: str, folder: str) -> Application:
    """An application with the settings its manual gives for throughput."""
    return Application(
        broker_address=bootstrap,
        consumer_group=f"quix-{time.time_ns()}",
        auto_offset_reset="earliest",
        processing_guarantee="exactly-once",
        state_dir=folder,
        consumer_poll_timeout=0.1,
        max_partition_buffer_size=50_000,
        producer_extra_config={"linger.ms": 20},
        loglevel="ERROR",
    )


class Clock:
    """When the first record came and the last count changed, and how many live."""

    def __init__(self) -> None:
        self.began = self.ended = 0.0
        self.read = self.live = 0

    def move(self, event: dict, state: State) -> list[dict]:
        """The changes of cells that the event of one row means."""
        self.began = self.began or time.perf_counter()
        self.read += 1
        before, after = state.get("cell"), cell(event)
        self.ended = time.perf_counter()
        if before == after:
            return []
        if after is None:
            state.delete("cell")
        else:
            state.set("cell", after)
        moves = ((before, -1), (after, 1))
        return [{"cell": at, "by": by} for at, by in moves if at is not None]

    def count(self, change: dict, state: State) -> int:
        """The number of rows in one cell."""
        rows = state.get("rows", 0) + change["by"]
        state.set("rows", rows)
        self.live += change["by"]
        self.ended = time.perf_counter()
        return rows


def main(bootstrap: str, topic: str, events: int, folder: str) -> None:
    """Count until no more records come."""
    app, clock = tuned(bootstrap, folder), Clock()
    rows = app.dataframe(app.topic(topic, value_deserializer="json"))
    moves = rows.apply(clock.move, stateful=True, expand=True)
    key: Callable[[dict], str] = lambda change: change["cell"]  # noqa: E731
    moves.group_by(key, name="cell").apply(clock.count, stateful=True)
    app.run(timeout=IDLE)
    assert clock.read == events, f"{clock.read} of {events} events were read"
    print(f"\n{events / (clock.ended - clock.began):.0f} {clock.live}", flush=True)
    os._exit(0)  # everything is committed


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
