"""Every transcript of a small counter, with its exact probability, in two worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual import Counters, Horizon
from tests.core.exact_counter import correlation, rounding

Histories = NDArray[np.int64]  # (ticks so far, n): what was published, n ways
Event = Callable[[Histories], NDArray[np.int64]]  # → what happens now, (n,)

# A coarse lattice of 2^-4 rows and two short memories: few transcripts, much rounding.
SMALL = Horizon(4, 12, (1030, 700), 0, 2**20, (1, 3), lattice_bits=4, weight_bits=12)


def norm(ticks: int) -> Fraction:
    """1 + Σ (c_j + r)² over so many ticks: what theorem T2 charges for."""
    later = correlation(SMALL, ticks)[1:]
    return 1 + sum((c + rounding(SMALL)) ** 2 for c in later)


class World:
    """P(v_t | what was published), for every history at once.

    ``reach`` bounds the published values that are looked at, ``deviation`` is σ (rows).
    """

    def __init__(self, deviation: float, reach: int) -> None:
        scale = deviation * 2**SMALL.lattice_bits
        self.reach = reach
        self.draws = np.arange(-round(30 * scale), round(30 * scale) + 1)
        mass = np.exp(-(self.draws**2) / (2 * scale**2))
        self.mass = mass / mass.sum()

    def of_moved(self, counters: Counters, most: int) -> NDArray[np.float64]:
        """P(u) for |u| ≤ ``most``, by the counter's own step: (n, 2·most + 1)."""
        size = counters.noise.size
        found, rows = np.zeros((size, 2 * most + 1)), np.arange(size)
        for drawn, mass in zip(self.draws, self.mass, strict=True):
            at = counters.step(np.full(size, drawn)) + most
            inside = (at >= 0) & (at <= 2 * most)
            found[rows[inside], at[inside]] += mass
        return found

    def published(
        self, counters: Counters, happened: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """P(v = x + u) for |v| ≤ reach: (n, 2·reach + 1)."""
        far = self.reach + int(np.abs(happened).max())
        moved = self.of_moved(counters, far)
        values = np.arange(-self.reach, self.reach + 1)
        at = values[None, :] - happened[:, None] + far
        return np.take_along_axis(moved, at, 1)


def histories(
    world: World, event: Event, ticks: int
) -> Iterator[tuple[Histories, NDArray[np.float64], NDArray[np.float64]]]:
    """(v_1 … v_t, P without the event, P with it) of every transcript, tick by tick."""
    values = np.arange(-world.reach, world.reach + 1)
    past = np.zeros((0, 1), np.int64)
    without = with_it = Counters.new(SMALL, 1)
    before = after = np.ones(1)
    for _ in range(ticks):
        size = past.shape[1]
        happened = np.broadcast_to(event(past), size).astype(np.int64)
        one = world.published(without, np.zeros(size, np.int64))
        other = world.published(with_it, happened)
        before, after = (
            (before[:, None] * one).ravel(),
            (after[:, None] * other).ravel(),
        )
        moved, shift = np.tile(values, size), np.repeat(happened, values.size)
        without = repeated(without, values.size).absorb(moved)
        with_it = repeated(with_it, values.size).absorb(moved - shift)
        past = np.concatenate([np.repeat(past, values.size, 1), moved[None]])
        yield past, before, after


def repeated(counters: Counters, times: int) -> Counters:
    """Each state so many times, side by side."""
    noise, buffers = counters.noise, counters.buffers
    return Counters(
        SMALL, counters.tick, np.repeat(noise, times), np.repeat(buffers, times, 1)
    )


def moment(
    one: NDArray[np.float64], other: NDArray[np.float64], order: float
) -> NDArray[np.float64]:
    """p^α q^(1−α) of each transcript; where q is 0 by its range, so is p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = order * np.log(one) + (1 - order) * np.log(other)
    return np.where((one > 0) & (other > 0), np.exp(logs), 0.0)
