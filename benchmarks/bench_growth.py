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
from benchmarks.curator_steps import (
    Loader,
    begun,
    median_epoch,
    publish,
    square,
    triples,
)
from benchmarks.figures import Figure
from embedded.redis_server import EmbeddedRedis
from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, propose
from store.keys import Keys
from store.server.connection import connect

LINEAR = 1.15  # most that an exponent may be
CHANGED = 20_000  # rows between two epochs
LOGS = (10_000, 100_000, 1_000_000)  # questions
WIDTH = 10  # columns of the log
SHAPES = ((22, 22, 13, 6), (46, 46, 28, 12), (100, 100, 60, 25))  # levels
ROWS = (10_000, 100_000, 1_000_000)  # about as many cells have rows
MICRO_EPSILON = 10_000


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
            size = asyncio.run(_curate(redis.url, levels, rows))
        sizes.append(size)
        power = len(str(rows)) - 1
        yield Figure(f"growth.atoms_1e{power}", size.atoms, "atoms")
        yield Figure(f"growth.epoch_1e{power}", size.epoch, "s")
        yield Figure(f"growth.adoption_1e{power}", size.adoption, "s")
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


async def _curate(url: str, levels: tuple[int, ...], rows: int) -> Size:
    """A first plan, another one adopted, and epochs after changes."""
    redis, keys, schema = connect(url), Keys("growth"), square("growth", levels)
    loader = Loader(redis, keys, schema)
    draw = np.random.default_rng(7)
    await loader.put(draw.integers(0, schema.cells, rows))
    epochs = await begun(redis, keys, schema)
    await publish(epochs, triples(schema, 1, MICRO_EPSILON))
    began = time.perf_counter()
    await publish(epochs, triples(schema, 2, MICRO_EPSILON + 1))  # all its noise is new
    adoption = time.perf_counter() - began
    epoch = await median_epoch(epochs, loader, schema.cells, min(rows, CHANGED))
    await redis.aclose()
    return Size(epochs.plan.atoms, adoption, epoch)


def _planned(questions: int) -> float:
    """Seconds from a log of so many entries to a plan."""
    schema = Schema("bits", tuple(Attribute.boolean(f"x{i}") for i in range(WIDTH)))
    log = bench_planner.questions(schema, questions)
    began = time.perf_counter()
    propose(
        schema,
        log,
        PlanOptions(
            Amount.pure(bench_planner.BUDGET),
            DiscreteLaplace.costing(bench_planner.FRESH),
        ),
    )
    return time.perf_counter() - began
