"""A stopwatch beside a worker: from a question's arrival to its answer's departure."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tests.fixtures.in_memory import MemoryConsumer, MemoryPublisher, MemoryRecord


class Took(NamedTuple):
    """What an answer took, in seconds, by two clocks.

    Attributes:
        wall: what a client sees; a busy machine adds to it what it likes.
        cpu: what the worker's own thread computed; waiting is not in it.
    """

    wall: float
    cpu: float


@dataclass
class Stopwatch:
    """One question at a time; when each was asked and answered."""

    answered: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.questions, self.out = _Bell(), _Timed(self.answered)

    async def timed(self, asked: MemoryRecord) -> Took:
        """Seconds from its arrival to its answer's departure."""
        self.answered.clear()
        began = now()
        self.questions.add(asked)
        await asyncio.wait_for(self.answered.wait(), 60)
        return Took(self.out.at.wall - began.wall, self.out.at.cpu - began.cpu)


def now() -> Took:
    """Both clocks."""
    return Took(time.perf_counter(), time.thread_time())


class _Bell(MemoryConsumer):
    """A consumer that wakes as soon as something is added."""

    def __init__(self) -> None:
        super().__init__()
        self._rung = asyncio.Event()

    def add(self, *records: MemoryRecord) -> int:
        self._rung.set()
        return super().add(*records)

    async def next_batch(self, timeout_seconds: float = 0.5) -> dict:
        try:
            await asyncio.wait_for(self._rung.wait(), timeout_seconds)
        except TimeoutError:
            return {}
        self._rung.clear()
        return await super().next_batch(timeout_seconds)


class _Timed(MemoryPublisher):
    """A publisher that notes when something is sent."""

    def __init__(self, answered: asyncio.Event) -> None:
        super().__init__()
        self._answered, self.at = answered, now()

    async def queue(self, record: Any) -> None:
        await super().queue(record)
        self.at = now()

    async def flush(self) -> None:
        self._answered.set()


def rank_z(one: Any, other: Any) -> float:
    """Spearman's rank correlation, in its standard deviations under independence.

    Whatever the distributions are, and with ties: mean 0 and variance 1 / (n − 1).
    """
    here, there = _ranks(one), _ranks(other)
    return float(np.corrcoef(here, there)[0, 1]) * math.sqrt(here.size - 1)


def _ranks(values: Any) -> np.ndarray:
    """From the smallest to the largest; those that are equal share their mean."""
    _, at, sizes = np.unique(
        np.asarray(values), return_inverse=True, return_counts=True
    )
    return (np.cumsum(sizes) - (sizes - 1) / 2)[at]
