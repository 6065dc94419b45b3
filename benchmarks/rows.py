"""Synthetic row events for the benchmarks: five attributes, about 90 bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

import msgspec
from aiokafka import AIOKafkaProducer

from sigmacount.domain import Attribute, Schema

PARTITIONS = 4
STATES = tuple(f"s{i}" for i in range(50))
# Shares of UCI Adult's employers and degrees, in percent: real columns are uneven.
EMPLOYERS = dict(zip("abcdefgh", (70, 8, 7, 6, 4, 3, 1, 1), strict=True))
DEGREES = dict(zip("ijklmnop", (32, 22, 17, 12, 7, 5, 3, 2), strict=True))
SCHEMA = Schema(
    "bench",
    (
        Attribute.binned("age", "integer", tuple(range(15, 100, 5))),
        Attribute.categorical("workclass", tuple("abcdefgh")),
        Attribute.categorical("edu", tuple("ijklmnop")),
        Attribute.categorical("sex", ("F", "M")),
        Attribute.categorical("state", STATES),
    ),
)


Event = tuple[bytes, bytes]  # key and value of a record


def events(count: int, seed: int = 20230101, ids: int | None = None) -> Iterator[Event]:
    """Nine upserts to one delete over so many ids, else two thirds of the events."""
    draw = random.Random(seed)
    ids = count * 2 // 3 + 1 if ids is None else ids
    encode = msgspec.json.encode
    employers, degrees = (
        (tuple(shares), tuple(shares.values())) for shares in (EMPLOYERS, DEGREES)
    )
    for _ in range(count):
        id_ = f"r{draw.randrange(ids)}"
        if draw.random() < 0.1:
            yield id_.encode(), encode({"op": "delete", "id": id_})
            continue
        row = {
            "age": min(94, 17 + int(draw.gammavariate(2.2, 10))),
            "workclass": draw.choices(*employers)[0],
            "edu": draw.choices(*degrees)[0],
            "sex": draw.choice("FMM"),
            "state": STATES[int(draw.random() ** 2 * 50)],
        }
        yield id_.encode(), encode({"op": "insert", "id": id_, "row": row})


def fates(happened: Iterable[Event]) -> dict[bytes, bool]:
    """Whether the row of each id lives after its last event: what peers must find."""
    return {key: b'"delete"' not in value for key, value in happened}


async def produce(
    bootstrap: str,
    topic: str,
    happened: Iterable[Event],
    partition: Callable[[bytes], int] | None = None,
) -> None:
    """Send the events; to the key's partition by the default rule or another one."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, linger_ms=20, max_batch_size=2**19
    )
    await producer.start()
    for key, value in happened:
        at = None if partition is None else partition(key)
        await producer.send(topic, value, key=key, partition=at)
    await producer.stop()
