"""How long does an epoch take, and how much memory a cell?

A plan of more than 10^6 atoms over 10^6 distinct cells, on a real store. An epoch is
timed from the look at what changed to the switch of the head, its noise being drawn.

Noise is drawn by OpenDP, in a thread, while the event loop turns. Whole tables of
joint plans are fitted to it. Seconds of both are of the processor.
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
import opendp.prelude as dp

from benchmarks.curator_steps import (
    Loader,
    begun,
    median_epoch,
    publish,
    square,
    triples,
)
from benchmarks.figures import Figure, resident
from benchmarks.joint_plans import FAMILIES, demo_log, epochs, large_plan, planned
from embedded.redis_server import EmbeddedRedis
from sigmacount.mechanisms import DiscreteGaussian, DiscreteLaplace
from store.keys import Keys
from store.server.connection import connect

CELLS, CHANGED, DRAWS = 1_000_000, 20_000, 200_000
MANY, SCALE = 1_000_000, 1_000.0  # draws of one plan, and σ, which does not matter
TICK = 0.01  # s
MOST_COLD, MOST_WARM, MOST_LARGE, MOST_HELD = 2, 1, 10, 0.5  # s
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
    yield from _draws()
    yield from _fits()
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


def _draws() -> Iterator[Figure]:
    """Of either law by OpenDP, and of a large plan beside the event loop."""
    began = time.perf_counter()
    DiscreteLaplace.costing(MICRO_EPSILON).draw(DRAWS)
    yield Figure("curator.draws", DRAWS / (time.perf_counter() - began), "draws/s")
    began = time.process_time()
    _opendp(DRAWS)
    opendp = DRAWS / (time.process_time() - began)
    yield Figure("curator.opendp_gaussian", opendp, "draws/s")
    seconds, held = asyncio.run(_beside_the_loop())
    yield Figure("curator.gaussian_draws", MANY / seconds, "draws/s")
    ratio = MANY / seconds / opendp
    yield Figure("curator.gaussian_over_opendp", ratio, "ratio", 0.8)
    yield Figure("curator.loop_held", held, "s", MOST_HELD, "most")


def _opendp(count: int) -> None:
    """So many draws as OpenDP makes them, with nothing of ours around it."""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    dp.m.make_gaussian(*space, SCALE)([0] * count)


async def _beside_the_loop() -> tuple[float, float]:
    """Processor seconds of a large plan's draws, and the longest wait of the loop."""
    loop, mechanism = asyncio.get_running_loop(), DiscreteGaussian(SCALE, 1)
    began, last = time.process_time(), loop.time()
    drawing = asyncio.create_task(asyncio.to_thread(mechanism.draw, MANY))
    held = 0.0
    while not drawing.done():
        await asyncio.sleep(TICK)
        held, last = max(held, loop.time() - last - TICK), loop.time()
    await drawing
    return time.process_time() - began, held


def _fits() -> Iterator[Figure]:
    """Of the demo's plans and of a large one, cold and warm."""
    schema, log = demo_log()
    for family in FAMILIES:
        plan = planned(schema, log, family)[1].plan
        cold, warm = epochs(plan, schema)
        yield Figure(f"curator.{family}_fit_cold", cold, "s", MOST_COLD, "most")
        yield Figure(f"curator.{family}_fit_warm", warm, "s", MOST_WARM, "most")
    plan = large_plan()
    assert plan.joint is not None
    cold, warm = epochs(plan, plan.joint.grid.schema)
    yield Figure("curator.large_plan", plan.joint.cells, "cells")
    yield Figure("curator.large_fit_cold", cold, "s", MOST_LARGE, "most")
    yield Figure("curator.large_fit_warm", warm, "s", MOST_LARGE, "most")


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
