"""Counters: the noise of many numbers over time, in integers that feed back.

Every tick a lattice draw W, less what the buffers remember of earlier noise, is rounded
to whole rows:

    u = ⌊(W − F + 2^(m−1)) / 2^m⌋,   F = (Σ_i s_i) ≫ (M − m),
    s_i ← s_i − (s_i ≫ k_i) + Ω_i 2^(M−24) u,   z ← z + u,

and N + z is what may be published. That it costs what the horizon says, for ever and
against whoever chooses rows by what was published, is theorem T2 of
docs/continual.md. It holds for these integers and no others: nothing is clipped, and
a state that would leave int64 is refused.

Shift means floor, for negative numbers too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual.horizons import LAST_TICK, Horizon
from sigmacount.sets import frozen

FARTHEST: Final = 2**62  # |W|: with feedback and half a row added it stays in int64
MOST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Counters:
    """The state of n counters of one age: what the noise of later ticks depends on.

    A function of the horizon and of the u of all ticks alone: whoever holds these can
    make it again, bit for bit. Nothing here has seen a row. Between ticks, however
    long that is, nothing moves.

    Shapes (n numbers, d buffers of the horizon):
        noise    int64 (n,)    z, to be added to the true numbers
        buffers  int64 (d, n)  s_i
    """

    horizon: Horizon
    tick: int
    noise: NDArray[np.int64]
    buffers: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        shape = len(self.horizon.decays), *self.noise.shape
        whole = self.noise.dtype == self.buffers.dtype == np.int64
        if not whole or self.buffers.shape != shape or not 0 <= self.tick <= LAST_TICK:
            msg = "counters have an int64 state of their horizon, and a tick up to 2^26"
            raise ValueError(msg)
        frozen(self.noise)
        frozen(self.buffers)

    @staticmethod
    def new(horizon: Horizon, size: int) -> Counters:
        """Counters that never ticked; their charge comes before their first tick."""
        buffers = np.zeros((len(horizon.decays), size), np.int64)
        return Counters(horizon, 0, np.zeros(size, np.int64), buffers)

    @property
    def feedback(self) -> NDArray[np.int64]:
        """F of the next tick, on the lattice: int64 (n,).

        Summed in two halves, so that it is exact even where Σ s_i would leave int64.
        """
        bits = self.horizon.state_bits - self.horizon.lattice_bits
        high = (self.buffers >> bits).sum(0)
        low = (self.buffers & ((1 << bits) - 1)).sum(0)
        fed: NDArray[np.int64] = high + (low >> bits)
        return fed

    def step(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """The u of the next tick, to be stored before anybody sees a number with it.

        Shapes: ``drawn`` W, int64 (n,), of ``ContinualNoise``; u int64 (n,).

        Raises:
            OverflowError: the last tick is over (the caller starts new counters, which
                is a new charge), or W is none that a certified scale gives; nothing
                was changed.
        """
        self._goes_on()
        if drawn.dtype != np.int64 or drawn.shape != self.noise.shape:
            msg = "a tick takes one int64 draw for each number"
            raise ValueError(msg)
        _within(drawn, FARTHEST - 1)
        m = self.horizon.lattice_bits
        return (drawn - self.feedback + (1 << (m - 1))) >> m

    def absorb(self, moved: NDArray[np.int64]) -> Counters:
        """The state after a tick whose stored u is ``moved``: int64 (n,).

        Raises:
            OverflowError: as ``step``; or the state would leave int64: at the widest
                scale a number 27 standard deviations out, one in 10^158. The caller
                starts new counters.
        """
        self._goes_on()
        buffers = np.empty_like(self.buffers)
        for i, (k, gain) in enumerate(
            zip(self.horizon.decays, self.horizon.gains, strict=True)
        ):
            held = self.buffers[i]
            buffers[i] = _added(held - (held >> k), _times(gain, moved))
        noise = _added(self.noise, moved)
        return replace(self, tick=self.tick + 1, noise=noise, buffers=buffers)

    def _goes_on(self) -> None:
        if self.tick >= LAST_TICK:
            msg = "a counter ends with tick 2^26; start a new one, with a new charge"
            raise OverflowError(msg)


def _times(gain: int, moved: NDArray[np.int64]) -> NDArray[np.int64]:
    """The product, exact; OverflowError where int64 does not hold it."""
    _within(moved, MOST // gain)
    return gain * moved


def _within(numbers: NDArray[np.int64], most: int) -> None:
    """OverflowError unless all |numbers| ≤ ``most``."""
    if numbers.size and not -most <= numbers.min() <= numbers.max() <= most:
        raise _overflow()


def _added(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum, exact; OverflowError where int64 does not hold it.

    A sum that wrapped around has another sign than both of its terms.
    """
    total = one + other
    if ((one ^ total) & (other ^ total) < 0).any():
        raise _overflow()
    return total


def _overflow() -> OverflowError:
    return OverflowError(
        "a number of a counter would leave int64; nothing was changed, and nothing may"
        " be clipped. Start new counters, with a new charge."
    )
