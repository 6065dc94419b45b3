"""Synthetic row events for the benchmarks: five attributes, about 90 bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from sigmacount.schema import Attribute, Schema

PARTITIONS = 4
STATES = tuple(f"s{i}" for i in range(50))
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


def events(count: int, seed: int = 20230101) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values: nine upserts to one delete over two thirds as many ids."""
    draw = random.Random(seed)
    encode = msgspec.json.encode
    for _ in range(count):
        id_ = f"r{draw.randrange(count * 2 // 3 + 1)}"
        if draw.random() < 0.1:
            yield id_.encode(), encode({"op": "delete", "id": id_})
            continue
        row = {
            "age": draw.randrange(16, 90),
            "workclass": draw.choice("abcdefgh"),
            "edu": draw.choice("ijklmnop"),
            "sex": draw.choice("FM"),
            "state": STATES[int(draw.random() ** 2 * 50)],
        }
        yield id_.encode(), encode({"op": "insert", "id": id_, "row": row})
