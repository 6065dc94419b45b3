"""Evolving rows: what a release shows at each epoch, and what that costs.

Algorithm 5 keeps the noise of the first epoch and adds true changes; Theorem 5 prices
it. One algebra of ε that was shown in T different epochs costs

    ε₀(T) = log((1−ρ) e^ε + ρ e^{Tε}) = ε + log(1 + ρ (e^{(T−1)ε} − 1)).

The second form parts what was paid when the noise was drawn from the surcharge for
showing it again. So it carries over to noises of any ε and any age: all that was ever
drawn, plus ``surcharge(Y)``, where Y is the ε shown again, summed over the epochs.

Theorem 5 averages over whether a person leaves, and this is not differential privacy
for anyone who does: docs/guarantee.md says whom it protects.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import guarantee
from sigmacount.accounting.charges import Charge
from sigmacount.accounting.guarantee import Guarantee, NoiseUnit
from sigmacount.mechanisms import MICRO, as_epsilon

UPWARD: Final = 1 + 2.0**-48  # covers the rounding of log1p and expm1: charges round up
STEEP: Final = 700.0  # e^Y leaves the floats at 709; the asymptote takes over before


def with_noise(truth: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """N_t(ω) + ζ(ω), which is N̂_1(ω) + N_t(ω) − N_1(ω): Algorithm 5, line 4.

    Deltas join the noisy count, not the clamped one: after post-processing no atom
    is negative, and Theorem 1 holds at every epoch.

    Shapes: int64 (K,) each.
    """
    return truth + noise


def surcharge(repeated: int, rho: float) -> int:
    """Price of having shown noise worth ``repeated`` again: log(1 + ρ(e^Y − 1)).

    Units: µε, rounded up.

    Raises:
        ValueError: ρ outside (0, 1), or a negative Y; the caller mends it.
    """
    if not 0 < rho < 1 or repeated < 0:
        msg = "ρ must lie strictly between 0 and 1, and Y (µε) must not be negative"
        raise ValueError(msg)
    shown = as_epsilon(repeated)
    if shown < STEEP:
        price = math.log1p(rho * math.expm1(shown))
    else:
        price = shown + math.log(rho + (1 - rho) * math.exp(-shown))
    return math.ceil(price * MICRO * UPWARD)


def epoch_charge(repeated: int, released: int, rho: float) -> int:
    """Price of showing ``released`` once more when Y is ``repeated`` already.

    Units: µε; successive charges telescope, so rounding never adds up.
    """
    return surcharge(repeated + released, rho) - surcharge(repeated, rho)


def epsilon_after(micro_epsilon: int, rho: float, epochs: int) -> int:
    """ε₀(T) of one noise of ``micro_epsilon`` shown in ``epochs`` ≥ 1 of them.

    Units: µε, rounded up.
    """
    return micro_epsilon + surcharge((epochs - 1) * micro_epsilon, rho)


def max_epochs(micro_epsilon: int, rho: float, budget: int) -> int:
    """The most epochs that ``budget`` pays for; 0 when it pays for none.

    Units: µε.
    """
    low, high = 0, 1
    while epsilon_after(micro_epsilon, rho, high) <= budget:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if epsilon_after(micro_epsilon, rho, middle) <= budget:
            low = middle
        else:
            high = middle
    return low


class EvolvingRule(Protocol):
    """How a noise is shown at later epochs: the rule, its price and its promise.

    Attributes:
        name: stands in every answer.
        by_clock: whether an epoch is published and paid at every tick of the clock,
            so that its coming says nothing about the rows.
        shows_again: whether a later epoch shows noise that an earlier one has shown.
        era: the first number that an epoch under this rule may have; no noise that is
            shown from here on was drawn before (``sigmacount.accounting.eras``).
    """

    name: ClassVar[str]
    by_clock: ClassVar[bool]
    shows_again: ClassVar[bool]

    @property
    def era(self) -> int:
        """See the attributes."""
        ...

    def in_era(self, era: int) -> EvolvingRule:
        """The same rule, begun anew."""
        ...

    def noise_generation(self, epoch: int) -> int:
        """Which draw of a unit's noise this epoch shows."""
        ...

    def charge_for_epoch(
        self, charge_id: str, *, released: int, repeated: int, surcharged: int
    ) -> Charge | None:
        """What an epoch costs that shows ``released`` once more; None if nothing.

        Units (µε):
            released    price of all units shown now that were shown before
            repeated    Y so far (``Ledger.repeated``)
            surcharged  paid for showing again so far (``Ledger.surcharged``)
        """
        ...

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """The promise that an answer from this unit carries."""
        ...


@dataclass(frozen=True, slots=True)
class FixedNoise:
    """Algorithm 5: one draw for ever, true changes added, priced by Theorem 5.

    Attributes:
        rho: probability that a person's row does not stay as it is; the operator's
            assumption, without a safe default. Raising it later is paid for by the
            next epoch; lowering it pays nothing back.

    Raises:
        ValueError: ρ outside (0, 1); the operator mends the configuration.
    """

    name: ClassVar[str] = "fixed-noise"
    by_clock: ClassVar[bool] = False  # it shows changes anyway
    shows_again: ClassVar[bool] = True
    rho: float
    era: int = 0

    def __post_init__(self) -> None:
        surcharge(0, self.rho)  # refuses a ρ that is no probability

    def in_era(self, era: int) -> FixedNoise:
        """The same rule, with noise of its own; see ``EvolvingRule``."""
        return replace(self, era=era)

    def noise_generation(self, epoch: int) -> int:  # noqa: ARG002 - the protocol's
        """One draw for the whole era: 0 in the first."""
        return self.era

    def charge_for_epoch(
        self, charge_id: str, *, released: int, repeated: int, surcharged: int
    ) -> Charge | None:
        """The rise of the surcharge; see ``EvolvingRule``."""
        if released == 0:
            return None
        due = surcharge(repeated + released, self.rho) - surcharged
        return Charge(charge_id, "epoch", max(0, due), repeats=released)

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """ε₀(T), ρ, T, and that changes are exact."""
        total = epsilon_after(unit.micro_epsilon, self.rho, unit.epochs)
        return guarantee.fixed_noise(unit, total, self.rho)


@dataclass(frozen=True, slots=True)
class Renew:
    """Fresh noise at every epoch: privacy for everyone, Tε for T epochs."""

    name: ClassVar[str] = "renew"
    by_clock: ClassVar[bool] = True
    shows_again: ClassVar[bool] = False
    era: int = 0

    def in_era(self, era: int) -> Renew:
        """The same rule, from that epoch on; see ``EvolvingRule``."""
        return replace(self, era=era)

    def noise_generation(self, epoch: int) -> int:
        """The epoch: every epoch has a draw of its own."""
        return epoch

    def charge_for_epoch(
        self,
        charge_id: str,
        *,
        released: int,
        repeated: int,  # noqa: ARG002 - the protocol's; nothing is shown again
        surcharged: int,  # noqa: ARG002 - the same
    ) -> Charge | None:
        """The whole price of all that is drawn anew; see ``EvolvingRule``."""
        return Charge(charge_id, "group", released) if released else None

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """T ε by sequential composition."""
        return guarantee.renew(unit, unit.epochs * unit.micro_epsilon)
