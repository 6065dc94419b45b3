"""How long does an epoch take, and how much memory a cell?

A plan of more than 10^6 atoms over 10^6 distinct cells, on a real store. An epoch is
timed from the look at what changed to the switch of the head, its noise being drawn.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from benchmarks.curator_steps import (
    Loader,
    begun,
    median_epoch,
    publish,
    square,
    triples,
)
from benchmarks.figures import Figure, resident
from embedded.redis_server import EmbeddedRedis
from sigmacount.mechanisms import DiscreteLaplace
from store.keys import Keys
from store.server.connection import connect

CELLS, CHANGED, DRAWS = 1_000_000, 20_000, 200_000
KEYS = Keys("bench")
SCHEMA = square("bench", (100, 100, 60, 25))  # 1.15·10^6 atoms in its triples
MICRO_EPSILON = 10_000


@dataclass(frozen=True, slots=True)
class CuratorFigures:
    """What the epochs took: seconds, and bytes a distinct cell."""

    first: float
    epoch: float
    bytes_a_cell: float


def measure() -> Iterator[Figure]:
    """Figures of the curator."""
    began = time.perf_counter()
    DiscreteLaplace.costing(MICRO_EPSILON).draw(DRAWS)
    yield Figure("curator.draws", DRAWS / (time.perf_counter() - began), "draws/s")
    draw = np.random.default_rng(20230101)
    codes = draw.permutation(SCHEMA.cells)[:CELLS]
    with EmbeddedRedis() as redis:
        asyncio.run(_load(redis.url, codes))
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=spawn) as process:
            measured = process.submit(_run, redis.url).result()
    yield Figure("curator.first_epoch", measured.first, "s")
    yield Figure("curator.epoch", measured.epoch, "s", 1, "most")
    yield Figure("curator.bytes_a_cell", measured.bytes_a_cell, "bytes", 200, "most")


async def _load(url: str, codes: np.ndarray) -> None:
    redis = connect(url)
    await Loader(redis, KEYS, SCHEMA).put(codes)
    await redis.aclose()


def _run(url: str) -> CuratorFigures:
    return asyncio.run(_curate(url))


async def _curate(url: str) -> CuratorFigures:
    redis = connect(url)
    loader, epochs = Loader(redis, KEYS, SCHEMA), await begun(redis, KEYS, SCHEMA)
    before, began = resident(), time.perf_counter()
    await publish(epochs, triples(SCHEMA, 1, MICRO_EPSILON))
    first = time.perf_counter() - began
    gc.collect()
    grown = resident() - before
    epoch = await median_epoch(epochs, loader, SCHEMA.cells, CHANGED)
    await redis.aclose()
    return CuratorFigures(first, epoch, grown / CELLS)
