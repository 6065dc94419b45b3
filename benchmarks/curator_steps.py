"""A curator at work on rows of our own making, up to the first epoch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis

from config.logs import Log
from config.metrics import Metrics
from sigmacount.accounting import PARALLEL, Allowance, FixedNoise
from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import Amount, DiscreteLaplace, Measure, noise_costing
from sigmacount.release import Group, Plan, clamp
from sigmacount.sets import Algebra
from store.keys import Keys
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.releases.renewal_requests import RenewalRequests
from store.releases.tick_vault import TickVault
from store.releases.trail_summaries import TrailSummaries
from store.sensitive import Bases, Rows, Truth
from tests.fixtures.crash_points import itself
from tests.fixtures.in_memory import MemoryTrail
from workers.curator import (
    CuratorOptions,
    CuratorStores,
    FreshOptions,
    LedgerLimits,
    ReleaseOptions,
)
from workers.curator.epochs.epochs import Epochs
from workers.curator.opening import open_curator
from workers.running.retrying import Retrier

PARTITIONS = 4
CHUNK = 20_000  # rows in one call, as a counter makes them
PLENTY = 10**12  # µε or pρ; what a budget allows is not asked here
FRESH = 20_000  # of the same
RULES = {
    Measure.EPSILON: FixedNoise(0.1),
    Measure.RHO: FixedNoise(0.1, delta=1e-9),
}
SURCHARGES = {Measure.EPSILON: 0, Measure.RHO: PLENTY}  # µε
EPOCHS = 3  # timed, and the median is told


class Loader:
    """Puts rows into the store as counters do, one row a cell code."""

    def __init__(self, redis: Redis, keys: Keys, schema: Schema) -> None:
        self._rows, self._schema = Rows(redis, keys), schema
        self._claims: dict[int, tuple[int, int]] = {}  # token, next

    async def put(self, codes: NDArray[np.int64]) -> None:
        """Row number i now lies in cell ``codes[i]``."""
        for partition in range(PARTITIONS):
            numbers = range(partition, len(codes), PARTITIONS)
            for first in range(0, len(numbers), CHUNK):
                some = numbers[first : first + CHUNK]
                await self._apply(partition, [f"r{n}" for n in some], codes[some])

    async def _apply(
        self, partition: int, ids: list[str], codes: NDArray[np.int64]
    ) -> None:
        if partition not in self._claims:
            self._claims[partition] = await self._claimed(partition)
        token, start = self._claims[partition]
        end = start + len(ids)
        await self._rows.apply(partition, token, start, end, ids, codes)
        self._claims[partition] = token, end

    async def _claimed(self, partition: int) -> tuple[int, int]:
        claim = await self._rows.claim(
            partition,
            topic_id="bench",
            cluster_id="bench",
            partitions=PARTITIONS,
            fingerprint=self._schema.fingerprint,
        )
        return claim.token, claim.next


async def _no_ends() -> dict[int, int]:
    """Nobody waits for the end of loading: ``while_loading``."""
    return {}


async def begun(
    redis: Redis, keys: Keys, schema: Schema, measure: Measure = Measure.EPSILON
) -> Epochs:
    """A curator that has just got the lease, before its first epoch."""
    rule, plenty = RULES[measure], Amount(measure, PLENTY)
    fresh = noise_costing(Amount(measure, FRESH))
    options = CuratorOptions(
        dataset=keys.dataset,
        schema=schema,
        partitions=PARTITIONS,
        release=ReleaseOptions(
            rule,
            PARALLEL,
            clamp,
            plenty,
            Allowance(PLENTY, PLENTY, PLENTY),
        ),
        fresh=FreshOptions(rule, mechanism=fresh, confidence=0.95),
        limits=LedgerLimits(plenty, PLENTY, PLENTY, surcharges=SURCHARGES[measure]),
        epoch_seconds=1.0,
        while_loading=True,
        fresh_batch=100,
        fresh_ahead=2_000,
    )
    stores = CuratorStores(
        Truth(redis, keys),
        RedisLedger(redis, keys),
        NoiseVault(redis, keys),
        TickVault(redis, keys),
        Released(redis, keys),
        Bases(redis, keys),
        RenewalRequests(redis, keys),
        TrailSummaries(redis, keys),
    )
    metrics = Metrics(CollectorRegistry())
    retry = Retrier("curator", Log("curator"), metrics)
    epochs, _ = await open_curator(
        options, stores, MemoryTrail(), _no_ends, itself, retry, metrics, 1
    )
    return epochs


async def publish(epochs: Epochs, plan: Plan | None) -> None:
    """One tick: the next epoch is served, under a new plan where one is given."""
    await epochs.tick(plan, asyncio.Event())


def square(name: str, sizes: Sequence[int]) -> Schema:
    """Four categorical attributes with so many levels."""
    pairs = zip("abcd", sizes, strict=True)
    attributes = (
        Attribute.categorical(letter, [f"{letter}{level}" for level in range(size)])
        for letter, size in pairs
    )
    return Schema(name, tuple(attributes))


def triples(schema: Schema, version: int, price: int) -> Plan:
    """A plan of the four tables of three of its attributes, each for so many µε."""
    mechanism = DiscreteLaplace.costing(price)
    groups = (
        Group(Algebra.full(schema, three), mechanism)
        for three in combinations(range(4), 3)
    )
    return Plan(version, tuple(groups), mechanism)


async def median_epoch(epochs: Epochs, loader: Loader, cells: int, rows: int) -> float:
    """Seconds of the middle one of a few epochs; ``rows`` rows move before each."""
    draw, spent = np.random.default_rng(8), []  # not that of rows that were loaded
    assert epochs.head is not None
    first = epochs.head.epoch
    for _ in range(EPOCHS):
        await loader.put(draw.integers(0, cells, rows))
        began = time.perf_counter()
        await publish(epochs, None)
        spent.append(time.perf_counter() - began)
    assert epochs.head.epoch == first + EPOCHS, "an epoch did not happen"
    return sorted(spent)[EPOCHS // 2]
