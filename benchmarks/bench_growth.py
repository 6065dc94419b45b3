"""Do epochs, the adoption of plans and reclustering grow no faster than their input?

Epochs and adoption against atoms and cells, on a real store; plans against entries of
the query log. A figure ``…_exponent`` is log(time ratio) / log(size ratio) between the
ends: 1 is linear, 0 is no growth at all.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import bench_planner
from benchmarks.figures import Figure
from benchmarks.reign import Loader, begun, publish
from cli.demo.embedded_redis import EmbeddedRedis
from sigmacount.algebra import Algebra
from sigmacount.groups import Group, Plan
from sigmacount.planner import Terms, plan
from sigmacount.schema import Attribute, Schema
from store.connection import connect
from store.keys import Keys

LINEAR = 1.15  # most that an exponent may be
CHANGED = 20_000  # rows between two epochs
EPOCHS = 3  # the median is told
LOGS = (10_000, 100_000, 1_000_000)  # questions
WIDTH = 10  # columns of the log
SHAPES = ((22, 22, 13, 6), (46, 46, 28, 12), (100, 100, 60, 25))  # levels
ROWS = (10_000, 100_000, 1_000_000)  # about as many cells have rows
TRIPLES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))


@dataclass(frozen=True, slots=True)
class Size:
    """What one size took.

    Units: seconds.
    """

    atoms: int
    adoption: float
    epoch: float


def measure() -> Iterator[Figure]:
    """Figures of growth."""
    sizes = []
    for levels, rows in zip(SHAPES, ROWS, strict=True):
        with EmbeddedRedis() as redis:
            size = asyncio.run(_reign(redis.url, levels, rows))
        sizes.append(size)
        name = f"{len(str(rows)) - 1}"
        yield Figure(f"growth.atoms_1e{name}", size.atoms, "atoms")
        yield Figure(f"growth.epoch_1e{name}", size.epoch, "s")
        yield Figure(f"growth.adoption_1e{name}", size.adoption, "s")
    few, many = sizes[0], sizes[-1]
    more = many.atoms / few.atoms
    yield _exponent("epoch", many.epoch / few.epoch, more)
    yield _exponent("adoption", many.adoption / few.adoption, more)
    took = [_planned(questions) for questions in LOGS]
    for questions, seconds in zip(LOGS, took, strict=True):
        name = f"growth.recluster_1e{len(str(questions)) - 1}"
        yield Figure(name, seconds, "s")
    yield _exponent("recluster", took[-1] / took[0], LOGS[-1] / LOGS[0])


def exponent(times: float, sizes: float) -> float:
    """The power of the size that the time grew with."""
    return math.log(times) / math.log(sizes)


def _exponent(name: str, times: float, sizes: float) -> Figure:
    power = exponent(times, sizes)
    return Figure(f"growth.{name}_exponent", power, "power", LINEAR, "most")


async def _reign(url: str, levels: tuple[int, ...], rows: int) -> Size:
    """A first plan, another one adopted, and epochs after changes."""
    schema = Schema(
        "growth",
        tuple(
            Attribute.categorical(name, [f"{name}{level}" for level in range(size)])
            for name, size in zip("abcd", levels, strict=True)
        ),
    )
    redis, keys = connect(url), Keys("growth")
    draw = np.random.default_rng(7)
    loader = Loader(redis, keys, schema)
    await loader.put(draw.integers(0, schema.cells, rows))
    epochs = await begun(redis, keys, schema)
    plans = [_plan(schema, number) for number in (1, 2)]
    await publish(epochs, plans[0])
    began = time.perf_counter()
    await publish(epochs, plans[1])
    adoption, spent = time.perf_counter() - began, []
    for _ in range(EPOCHS):
        await loader.put(draw.integers(0, schema.cells, min(rows, CHANGED)))
        began = time.perf_counter()
        await publish(epochs, None)
        spent.append(time.perf_counter() - began)
    await redis.aclose()
    assert epochs.head is not None
    assert epochs.head.epoch == 2 + EPOCHS, "an epoch did not happen"
    return Size(plans[1].atoms, adoption, sorted(spent)[EPOCHS // 2])


def _plan(schema: Schema, version: int) -> Plan:
    """All triples of attributes, with noise that no other version has."""
    groups = (Group(Algebra.full(schema, some), 10_000 + version) for some in TRIPLES)
    return Plan(version, tuple(groups), 10_000)


def _planned(questions: int) -> float:
    """Seconds from a log of so many entries to a plan."""
    schema = Schema("bits", tuple(Attribute.boolean(f"x{i}") for i in range(WIDTH)))
    log = bench_planner.questions(schema, questions)
    began = time.perf_counter()
    plan(schema, log, Terms(bench_planner.BUDGET, bench_planner.FRESH))
    return time.perf_counter() - began
