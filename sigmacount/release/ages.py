"""Ages: at which tick each unit of a plan is, and what law its noise has there.

A plan states its units as if they were shown once. Counted for ever (rule
``continual``) a unit costs what it says there, and its noise grows with its ticks: a
counter draws with the σ' at which all ticks together cost the stated ρ, a tree of
blocks has noise of ε/h in each block. Units that were adopted at different times are
at different ticks; nothing here has one age for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from sigmacount.continual import (
    LAST_TICK,
    ROUNDING,
    ContinualNoise,
    Horizon,
    LaplaceTree,
    NoiseWeights,
    horizon_for,
)
from sigmacount.errors import InvalidPlan, NoiseTooWide
from sigmacount.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Mechanism,
    normal_bound,
)

SCALES: Final = 65_536  # kept: of a measurement of many sets few differ
FEW_TICKS: Final = 1_024  # kept: units are of few ages


class NoiseLaw(Protocol):
    """The law of the noise in one number, symmetric around 0.

    Every ``Mechanism`` is one: that of a single draw.

    Attributes:
        variance: of it (rows²).
        key: a word for the law; two laws of one key are the same.
    """

    @property
    def variance(self) -> float:
        """See the attributes."""
        ...

    @property
    def key(self) -> str:
        """See the attributes."""
        ...

    def quantile(self, terms: int, confidence: float) -> int:
        """Least q known to give P(|Z| ≤ q) ≥ ``confidence``, Z of ``terms`` numbers.

        Units: rows.
        """
        ...


@dataclass(frozen=True, slots=True)
class CounterLaw:
    """Of one number of a counter: of variance (σ² + 1/12)·Σ b_j², and near to normal.

    Attributes:
        deviation: σ of what a tick draws (rows).
        squares: Σ b_j² over the ticks that are in it (``NoiseWeights``).
    """

    deviation: float
    squares: float

    @property
    def variance(self) -> float:
        """See ``NoiseLaw``."""
        return (self.deviation**2 + ROUNDING) * self.squares

    @property
    def key(self) -> str:
        """Both numbers to the last bit."""
        return f"counter-{self.deviation.hex()}-{self.squares.hex()}"

    def quantile(self, terms: int, confidence: float) -> int:
        """The normal quantile, rounded up: z has whole values, so that is no less."""
        return normal_bound((terms * self.variance) ** 0.5, confidence)


@dataclass(frozen=True, slots=True)
class TreeLaw:
    """Of a number with the noise of so many blocks of a tree.

    Attributes:
        block: the law of each.
    """

    block: DiscreteLaplace
    blocks: int

    @property
    def variance(self) -> float:
        """See ``NoiseLaw``."""
        return self.blocks * self.block.variance

    @property
    def key(self) -> str:
        """That of a block, and how many."""
        return f"tree-{self.block.key}-{self.blocks}"

    def quantile(self, terms: int, confidence: float) -> int:
        """See ``NoiseLaw``; as exact as for so many draws of a block."""
        return self.block.quantile(terms * self.blocks, confidence)


class Aging(Protocol):
    """What time has done to the noise of a plan's units."""

    def law(self, unit: str, mechanism: Mechanism) -> NoiseLaw:
        """Of one number of the unit of this id, ``mechanism`` what it states.

        Raises:
            InvalidPlan: nothing is known of the unit, or such noise is not counted
                over time; the message becomes a dead letter.
        """
        ...


@dataclass(frozen=True, slots=True)
class Ages:
    """The tick of every unit that an epoch shows.

    Attributes:
        epochs: that counters and trees are rated for; the nearest horizon is taken.
        ticks: by id of the unit, from 1 on.

    Raises:
        InvalidPlan: a tick that no counter has, or a horizon below one epoch; the
            message becomes a dead letter.
    """

    epochs: int
    ticks: Mapping[str, int]

    def __post_init__(self) -> None:
        for unit, tick in self.ticks.items():
            if type(tick) is not int or not 1 <= tick <= LAST_TICK:
                msg = f"unit {unit} is shown at a tick from 1 to {LAST_TICK:,}"
                raise InvalidPlan(msg)
        if type(self.epochs) is not int or self.epochs < 1:
            msg = "counters are rated for at least one epoch"
            raise InvalidPlan(msg)

    def law(self, unit: str, mechanism: Mechanism) -> NoiseLaw:
        """See ``Aging``: that of the unit's own tick."""
        if unit not in self.ticks:
            msg = f"the epoch does not say at which tick it shows unit {unit}"
            raise InvalidPlan(msg)
        tick = self.ticks[unit]
        if isinstance(mechanism, DiscreteLaplace):
            tree = LaplaceTree.for_epochs(self.epochs)
            return TreeLaw(tree.noise(mechanism.price), _blocks(tree, tick))
        horizon = horizon_for(self.epochs)
        return counter_law(mechanism, horizon, _squares(horizon, tick))


def counter_law(mechanism: Mechanism, horizon: Horizon, squares: float) -> CounterLaw:
    """Of one number of a counter that costs for ever what ``mechanism`` costs once.

    Raises:
        NoiseTooWide: its σ is above what the horizon holds.
        InvalidPlan: it is not Gaussian.
    """
    return CounterLaw(counted_for_ever(mechanism, horizon).deviation, squares)


def counted_for_ever(mechanism: Mechanism, horizon: Horizon) -> ContinualNoise:
    """The noise whose every tick, for ever, costs together what this costs once.

    Raises:
        NoiseTooWide, InvalidPlan: as ``counter_law``.
    """
    if not isinstance(mechanism, DiscreteGaussian):
        msg = f"noise {mechanism.key} cannot be counted for ever"
        raise InvalidPlan(msg)
    units, squared = mechanism.price.units, mechanism.squared_sensitivity
    try:
        return _costing(horizon.epochs, units, squared)
    except ValueError as error:
        raise NoiseTooWide(str(error)) from None


@lru_cache(maxsize=FEW_TICKS)
def _squares(horizon: Horizon, tick: int) -> float:
    return NoiseWeights.of(horizon).squares(tick)


@lru_cache(maxsize=FEW_TICKS)
def _blocks(tree: LaplaceTree, tick: int) -> int:
    return len(tree.blocks(tick))


@lru_cache(maxsize=SCALES)
def _costing(epochs: int, units: int, squared: int) -> ContinualNoise:
    return ContinualNoise.costing(horizon_for(epochs), units, squared)
