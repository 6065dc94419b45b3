"""Synthetic row events for the benchmarks: five attributes, about 90 bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from sigmacount.schema import Attribute, Schema

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


def events(count: int, seed: int = 20230101) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values: nine upserts to one delete over two thirds as many ids."""
    draw = random.Random(seed)
    encode = msgspec.json.encode
    employers, degrees = (
        (tuple(shares), tuple(shares.values())) for shares in (EMPLOYERS, DEGREES)
    )
    for _ in range(count):
        id_ = f"r{draw.randrange(count * 2 // 3 + 1)}"
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
