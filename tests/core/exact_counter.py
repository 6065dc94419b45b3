"""One counter in Python's own integers, floors by ``//``: slow, and without limits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sigmacount.continual import LAST_TICK, Counters, Horizon


class ExactCounter:
    """The recursion of docs/continual.md, one number, nothing that could overflow."""

    def __init__(self, horizon: Horizon) -> None:
        self.horizon = horizon
        self.buffers = [0] * len(horizon.decays)
        self.noise = 0

    def tick(self, drawn: int) -> int:
        """The u of a draw; the state has absorbed it."""
        h = self.horizon
        m, bits = h.lattice_bits, h.state_bits
        fed = sum(self.buffers) // 2 ** (bits - m)
        moved = (drawn - fed + 2 ** (m - 1)) // 2**m
        self.buffers = [
            s - s // 2**k + w * 2 ** (bits - h.weight_bits) * moved
            for s, k, w in zip(self.buffers, h.decays, h.weights, strict=True)
        ]
        self.noise += moved
        return moved


def state(counters: Counters) -> tuple[int, list[int], list[list[int]]]:
    """What two states are compared by."""
    return counters.tick, counters.noise.tolist(), counters.buffers.tolist()


def correlation(horizon: Horizon, count: int) -> list[Fraction]:
    """c_0, c_1, …, exact."""
    pairs = list(zip(horizon.omegas, horizon.thetas, strict=True))
    later = [sum(w * t**j for w, t in pairs) for j in range(count - 1)]
    return [Fraction(1), *later]


def rounding(horizon: Horizon) -> Fraction:
    """r: what rounding adds to one tick at most (rows)."""
    below = horizon.state_bits - horizon.lattice_bits
    reach = Fraction(sum(2**k for k in horizon.decays), 2**below)
    return (1 + reach) / 2**horizon.lattice_bits


def squared_norm(horizon: Horizon) -> Fraction:
    """Σ c_j² + 2r Σ c_j + 2^26 r², exact (rows²)."""
    pairs = list(zip(horizon.omegas, horizon.thetas, strict=True))
    squares = 1 + sum(w * v / (1 - s * t) for w, s in pairs for v, t in pairs)
    total = 1 + sum(w / (1 - t) for w, t in pairs)
    r = rounding(horizon)
    return squares + 2 * r * total + LAST_TICK * r * r


def draws(count: int) -> np.ndarray:
    """Fixed numbers of both signs, as a multiplier scatters them: int64 (count,)."""
    scattered = [(t * 2654435761 % 2**32 - 2**31) >> 8 for t in range(1, count + 1)]
    return np.array(scattered, np.int64)
