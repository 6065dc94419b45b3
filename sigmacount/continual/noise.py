"""ContinualNoise: what the ticks of counters draw, and the one charge for all of them.

A change of one row moves a set of counters by an integer vector, Δ² its largest
squared norm. All ticks together cost ρ = Σ_S Λ Δ_S²/(2σ_S²), Λ the squared norm of the
horizon: theorem T2 for vectors, in docs/continual.md.

Noise is drawn on multiples of 2^-m rows. There Λ·4^m·Δ² is a whole number, so that the
price, and the certificate against it, are those of one discrete Gaussian.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sigmacount.continual.horizons import Horizon
from sigmacount.continual.noise_weights import noise_variance
from sigmacount.contrasts import JointGaussian, MeasuredSet
from sigmacount.mechanisms import Amount, DiscreteGaussian


@dataclass(frozen=True, slots=True)
class ContinualNoise:
    """Noise of scale σ for counters that one change moves by Δ, for all their ticks.

    Attributes:
        deviation: σ (rows), what a tick draws.
        squared_sensitivity: Δ², of one change of one row; 1 for counts of rows in
            disjoint atoms.

    Raises:
        ValueError: σ above the widest of the horizon, or none that a discrete Gaussian
            can have; the caller takes a shorter horizon, or spends more.
    """

    horizon: Horizon
    deviation: float
    squared_sensitivity: int = 1

    def __post_init__(self) -> None:
        if not self.deviation <= self.horizon.widest:
            msg = (
                f"σ = {self.deviation:g} rows is too wide for counters of"
                f" {self.horizon.epochs:,} epochs, which hold up to"
                f" {self.horizon.widest:,}; spend more, or take a shorter horizon"
            )
            raise ValueError(msg)
        _ = self.ticks.price

    @staticmethod
    def costing(
        horizon: Horizon, units: int, squared_sensitivity: int = 1
    ) -> ContinualNoise:
        """The least σ for which all ticks cost at most so many pico-ρ.

        Raises:
            ValueError: as above, or nothing is paid.
        """
        norm = horizon.lattice_norm * squared_sensitivity
        scale = DiscreteGaussian.costing(units, norm).scale
        deviation = math.ldexp(scale, -horizon.lattice_bits)
        return ContinualNoise(horizon, deviation, squared_sensitivity)

    @property
    def ticks(self) -> DiscreteGaussian:
        """One tick's draws, int64 on the lattice, priced and certified for all ticks.

        They look at nothing, and may be drawn ahead.
        """
        bits, norm = self.horizon.lattice_bits, self.horizon.lattice_norm
        scale = math.ldexp(self.deviation, bits)
        return DiscreteGaussian(scale, norm * self.squared_sensitivity)

    @property
    def price(self) -> Amount:
        """⌈Λ Δ² 10¹²/(2σ²)⌉ pico-ρ, charged once, before the first tick."""
        return self.ticks.price

    def variance(self, tick: int) -> float:
        """Of one published number at this tick (rows²), from σ = 0.7 on."""
        return noise_variance(self.horizon, self.deviation, tick)


def joint_ticks(
    key: str, horizon: Horizon, parts: Iterable[MeasuredSet]
) -> JointGaussian:
    """One tick's draws for the numbers of many attribute sets, counted for ever.

    Its price is that of all ticks, Σ_S ⌈Λ Δ_S² 10¹²/(2σ_S²)⌉ pico-ρ.
    Scales and draws are in units of the lattice, 2^-m rows.

    Raises:
        ValueError: a σ_S is too wide for the horizon; the caller mends it as there.
    """
    held = tuple(parts)
    noises = (
        ContinualNoise(horizon, p.deviation, p.strategy.squared_sensitivity)
        for p in held
    )
    ticks = tuple(noise.ticks for noise in noises)
    return JointGaussian(key, ticks, tuple(part.strategy.rows for part in held))
