"""The same count as a Bytewax dataflow: state by id, then by cell.

Run:  python bytewax_flow.py BOOTSTRAP TOPIC EVENTS FOLDER
Prints rows a second, and the number of live rows as a check that it did the work.

State lives in memory and is kept for recovery in SQLite, a snapshot each ten seconds
(its default) and at the end. The clock runs from the first record to the end of the
flow, its last snapshot included.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import bytewax.operators as op
import orjson
from bytewax._bytewax import cli_main
from bytewax.connectors.kafka import KafkaSource, KafkaSourceMessage
from bytewax.dataflow import Dataflow
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.recovery import RecoveryConfig, init_db_dir

ATTRIBUTES = ("age", "workclass", "edu", "sex", "state")
POLL = 5_000  # records


class Clock:
    """When the first record came, and how many rows live."""

    def __init__(self) -> None:
        self.began, self.read, self.live = 0.0, 0, 0

    def decode(self, message: KafkaSourceMessage) -> tuple[str, str | None]:
        """Id and cell of an event, the cell None for a delete."""
        self.began = self.began or time.perf_counter()
        self.read += 1
        event = orjson.loads(message.value)
        if event["op"] == "delete":
            return event["id"], None
        row = event["row"]
        return event["id"], "|".join(str(row[name]) for name in ATTRIBUTES)

    def count(self, rows: int | None, by: int) -> tuple[int | None, int]:
        """The number of rows in one cell; an empty one is forgotten."""
        rows = (rows or 0) + by
        self.live += by
        return rows or None, rows


def move(
    before: str | None, after: str | None
) -> tuple[str | None, list[tuple[str, int]]]:
    """The changes of cells that the event of one row means."""
    if before == after:
        return after, []
    moves = ((before, -1), (after, 1))
    return after, [(at, by) for at, by in moves if at is not None]


class _Nowhere(StatelessSinkPartition):
    def write_batch(self, items: list) -> None:
        pass


class Discard(DynamicSink):
    """Takes the counts and keeps none, as they stay in the flow's state."""

    def build(self, *_: object) -> _Nowhere:
        """The one partition of a worker."""
        return _Nowhere()


def flow_of(bootstrap: str, topic: str, clock: Clock) -> Dataflow:
    """Rows by id to moves, moves by cell to counts."""
    flow = Dataflow("count")
    source = KafkaSource([bootstrap], [topic], tail=False, batch_size=POLL)
    rows = op.map("decode", op.input("rows", flow, source), clock.decode)
    moves = op.stateful_flat_map("move", rows, move)
    by_cell = op.map("by-cell", moves, lambda moved: moved[1])
    counts = op.stateful_map("count", by_cell, clock.count)
    op.output("out", counts, Discard())
    return flow


def main(bootstrap: str, topic: str, events: int, folder: str) -> None:
    """Count to the end of the topic."""
    clock, kept = Clock(), Path(folder)
    kept.mkdir(parents=True, exist_ok=True)
    init_db_dir(kept, 1)
    cli_main(
        flow_of(bootstrap, topic, clock),
        recovery_config=RecoveryConfig(kept),
    )
    seconds = time.perf_counter() - clock.began
    assert clock.read == events, f"{clock.read} of {events} events were read"
    print(f"\n{events / seconds:.0f} {clock.live}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
