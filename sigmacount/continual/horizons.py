"""Horizons: the published constants of a counter, by the epochs that it is rated for.

A counter's noise is correlated by the weights 1, c₁, c₂, … with c_j = Σ ω_i θ_i^(j−1):
a few geometric series (a buffered Toeplitz matrix, Dvijotham and others 2024) that
come close to the best Toeplitz matrix up to the rated epoch, and do not end there.
All of it is integers, so that every machine computes the same noise.

The weights were fitted to the geometric mean of the mean and the largest variance up
to the rated epoch; that they are good is a matter of error, never of privacy. What
privacy needs, the squared norm, is recomputed in fractions by the tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

LAST_TICK: Final = 2**26  # 21 years of ten seconds; sensitivity is summed up to here
LATTICE_BITS: Final = 20  # noise is drawn on multiples of 2^-20 rows
WEIGHT_BITS: Final = 24  # weights are multiples of 2^-24
NORM_BITS: Final = 30  # squared norms are multiples of 2^-30 rows²
DECAY_STEP: Final = 3  # from buffer to buffer memory is eight times as long


@dataclass(frozen=True, slots=True)
class Horizon:
    """The constants of counters that are meant for so many epochs.

    Past them a counter goes on and stays as private; its error grows faster.

    Attributes:
        epochs: for which it is rated.
        state_bits: M: a buffer is a multiple of 2^-M rows.
        weights: Ω_i, multiples of 2^-24; buffer i forgets 2^-k_i of itself in a tick.
        squared_norm: ⌈2^30 Λ⌉, Λ = Σ c_j² + 2r Σ c_j + 2^26 r² (rows²): by how much a
            change of 1 moves all ticks together; r bounds what rounding adds to one.
        widest: σ_max, rows: at a larger scale a buffer could leave int64.
        decays: k_i.
    """

    epochs: int
    state_bits: int
    weights: tuple[int, ...]
    squared_norm: int
    widest: int
    decays: tuple[int, ...]
    lattice_bits: int = LATTICE_BITS
    weight_bits: int = WEIGHT_BITS

    @property
    def gains(self) -> tuple[int, ...]:
        """Ω_i · 2^(M−24): what one unit of u adds to buffer i."""
        return tuple(w << (self.state_bits - self.weight_bits) for w in self.weights)

    @property
    def omegas(self) -> tuple[Fraction, ...]:
        """ω_i, exact."""
        return tuple(Fraction(w, 2**self.weight_bits) for w in self.weights)

    @property
    def thetas(self) -> tuple[Fraction, ...]:
        """θ_i = 1 − 2^-k_i, exact."""
        return tuple(1 - Fraction(1, 2**k) for k in self.decays)

    @property
    def widest_once(self) -> float:
        """The widest σ of noise shown once whose price buys counters (rows)."""
        root = math.sqrt(math.ldexp(self.squared_norm, -NORM_BITS))
        return self.widest / root * (1 - 2.0**-30)  # prices round σ' up

    @property
    def lattice_norm(self) -> int:
        """The squared norm in units of the lattice on which noise is drawn, exact."""
        return self.squared_norm << (2 * self.lattice_bits - NORM_BITS)


def rated(
    epochs: int, state_bits: int, weights: tuple[int, ...], norm: int, widest: int
) -> Horizon:
    """The horizon of these constants, its buffers 2, 16, 128, … ticks long."""
    decays = tuple(range(1, 1 + DECAY_STEP * len(weights), DECAY_STEP))
    return Horizon(epochs, state_bits, weights, norm, widest, decays)


HORIZONS: Final = MappingProxyType(
    {
        each.epochs: each
        for each in (
            rated(128, 29, (3680892, 3467201, 1323447), 2709218658, 2**31),
            rated(1_024, 32, (4298803, 2612385, 1182919, 482800), 3436888337, 2**28),
            rated(
                8_192,
                35,
                (4102106, 2953822, 850695, 434104, 169511),
                4154241833,
                2**25,
            ),
            rated(
                65_536,
                38,
                (4179235, 2837571, 984794, 313776, 151679, 60271),
                4866661657,
                2**22,
            ),
            rated(
                524_288,
                41,
                (4152660, 2881318, 939557, 361663, 109423, 53788, 21316),
                5579790777,
                2**19,
            ),
            rated(
                4_194_304,
                44,
                (4162584, 2865967, 956672, 345335, 126362, 38907, 18970, 7549),
                6295277598,
                2**16,
            ),
        )
    }
)

# Nothing is fed back: every tick adds what it drew, as noise of pure ε may.
SUMS: Final = Horizon(1, LATTICE_BITS, (), 2**NORM_BITS, 2**31, ())


def horizon_for(epochs: int) -> Horizon:
    """The horizon that errs least for a counter of about so many epochs: the nearest.

    Within a factor of three of the truth the mean variance is at most 9 % above that
    of the best horizon; much too long a horizon costs a factor of 1.8.

    Raises:
        ValueError: below one epoch; the caller mends it.
    """
    return HORIZONS[nearest(epochs, HORIZONS)]


def nearest(epochs: int, rated_for: Iterable[int]) -> int:
    """The one of these numbers of epochs that is nearest, as a ratio.

    Raises:
        ValueError: below one epoch; the caller mends it.
    """
    if epochs < 1:
        msg = f"a counter is for at least one epoch, not {epochs}"
        raise ValueError(msg)
    return min(rated_for, key=lambda n: Fraction(max(n, epochs), min(n, epochs)))
