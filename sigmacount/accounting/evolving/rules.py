"""Evolving rules: what an epoch draws, what it is charged, and what it promises.

Under ``fixed-noise`` (Algorithm 5) the noise of the first epoch stays and true changes
are added; Theorem 5 prices that. It averages over whether a person leaves, and is not
differential privacy for anyone who does: docs/guarantee.md says whom it protects.
Under ``renew`` every epoch has noise of its own, and is paid whole. ``continual`` has a
file of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting.charges import Charge
from sigmacount.accounting.evolving.showing import NoiseUse, Showing
from sigmacount.accounting.evolving.surcharge import (
    epsilon_after,
    surcharge,
    surcharge_in_zcdp,
)
from sigmacount.accounting.guarantees import in_epsilon
from sigmacount.accounting.guarantees.guarantee import Guarantee
from sigmacount.accounting.guarantees.in_rho import fixed_noise_in_rho, renew_in_rho
from sigmacount.accounting.guarantees.noise_unit import NoiseUnit
from sigmacount.mechanisms import Amount, Measure


def with_noise(truth: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """N_t(ω) + ζ(ω), which is N̂_1(ω) + N_t(ω) − N_1(ω): Algorithm 5, line 4.

    Deltas join the noisy count, not the clamped one: after post-processing no atom
    is negative, and Theorem 1 holds at every epoch.

    Shapes: int64 (K,) each.
    """
    return truth + noise


class Exposure(Protocol):
    """What a ledger has paid, and for showing noise again (its units)."""

    @property
    def spent(self) -> int:
        """All that was charged; in a ledger of ρ this is R, what was drawn."""
        ...

    @property
    def repeated(self) -> int:
        """Y: noise shown again in later epochs, summed."""
        ...

    @property
    def surcharged(self) -> int:
        """What was paid for that, whatever the purpose (µε in any ledger)."""
        ...


@dataclass(frozen=True, slots=True)
class Unexposed:
    """The exposure before anything was drawn or shown again."""

    repeated: int = 0
    surcharged: int = 0
    spent: int = 0


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be drawn and charged before an epoch may show something.

    Attributes:
        drawn: noise that is drawn for it, once everything is charged.
        charges: what the ledger is asked for, in this order.
    """

    drawn: tuple[NoiseUse, ...]
    charges: tuple[Charge, ...]


class EvolvingRule(Protocol):
    """How noise is shown over changing rows: what is drawn, charged and promised.

    The order of acts is the same under every rule: charge, draw, store, show.

    Attributes:
        name: stands in every answer.
        by_clock: whether an epoch is published and paid at every tick of the clock,
            so that its coming says nothing about the rows.
        era: the first number that an epoch under this rule may have; no noise that is
            shown from here on was drawn before (``sigmacount.accounting.eras``).
        delta: δ of a dataset whose noise is paid for in zCDP; None: in pure ε.
    """

    name: ClassVar[str]
    by_clock: ClassVar[bool]

    @property
    def era(self) -> int:
        """See the attributes."""
        ...

    @property
    def delta(self) -> float | None:
        """See the attributes."""
        ...

    def in_era(self, era: int) -> EvolvingRule:
        """The same rule, begun anew."""
        ...

    def noise_generation(self, epoch: int) -> int:
        """Which draw of a unit's noise this epoch shows.

        One for ever, or one an epoch. Under a rule of many steps it is the step.
        """
        ...

    def due(self, showing: Showing, exposure: Exposure) -> Due:
        """What is drawn and what is charged for this epoch.

        What is drawn, and the ids of the charges, follow from ``showing`` alone; what
        they cost may depend on the ``exposure`` of the ledger. An act that was done
        before has the same ids, which the ledger charges once. So a rule that charges
        once for ever names its charge by the unit, and one that charges every draw by
        the draw.

        Raises:
            MeasureMismatch: the rule cannot price noise of this measure; the operator
                chooses another rule.
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
        delta: δ of a dataset whose noise is paid for in zCDP; None: in pure ε.

    Raises:
        ValueError: ρ outside (0, 1); the operator mends the configuration.
    """

    name: ClassVar[str] = "fixed-noise"
    by_clock: ClassVar[bool] = False  # it shows changes anyway
    rho: float
    era: int = 0
    delta: float | None = None

    def __post_init__(self) -> None:
        surcharge(0, self.rho)  # refuses a ρ that is no probability

    def in_era(self, era: int) -> FixedNoise:
        """The same rule, with noise of its own; see ``EvolvingRule``."""
        return replace(self, era=era)

    def noise_generation(self, epoch: int) -> int:  # noqa: ARG002 - the protocol's
        """One draw for the whole era: 0 in the first."""
        return self.era

    def due(self, showing: Showing, exposure: Exposure) -> Due:
        """The price of what is new, and the rise of the surcharge for the rest."""
        new = [use for use in showing.uses if use.state != "shown"]
        prices = [use.price for use in showing.uses if use.state == "shown"]
        charges = [showing.drawing(use) for use in new]
        if prices:
            repeats = self._repeated(prices)
            asked = self._rise(repeats.units, exposure)
            charges.append(showing.again(repeats, Amount.pure(asked)))
        return Due(_lacking(showing), tuple(charges))

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """ε₀(T), ρ, T, and that changes are exact."""
        if self.delta is not None:
            return fixed_noise_in_rho(unit, self.rho, self.delta)
        total = epsilon_after(unit.price.micro_epsilon, self.rho, unit.epochs)
        return in_epsilon.fixed_noise(unit, Amount.pure(total), self.rho)

    def _repeated(self, prices: Iterable[Amount]) -> Amount:
        """The sum of them in the measure of the ledger."""
        measure = Measure.EPSILON if self.delta is None else Measure.RHO
        nothing = Amount(measure, 0)
        return sum((price.charged_in(measure) for price in prices), nothing)

    def _rise(self, repeats: int, exposure: Exposure) -> int:
        """What Theorem 5 asks for all that was ever shown again, less what was paid."""
        again = exposure.repeated + repeats
        if self.delta is None:
            due = surcharge(again, self.rho)
        else:
            due = surcharge_in_zcdp(exposure.spent, again, self.rho, self.delta)
        return max(0, due - exposure.surcharged)


@dataclass(frozen=True, slots=True)
class Renew:
    """Fresh noise at every epoch: privacy for everyone, T times the price for T.

    Attributes:
        delta: δ of a dataset whose noise is paid for in zCDP; None: in pure ε.
    """

    name: ClassVar[str] = "renew"
    by_clock: ClassVar[bool] = True
    era: int = 0
    delta: float | None = None

    def in_era(self, era: int) -> Renew:
        """The same rule, from that epoch on; see ``EvolvingRule``."""
        return replace(self, era=era)

    def noise_generation(self, epoch: int) -> int:
        """The epoch: every epoch has a draw of its own."""
        return epoch

    def due(self, showing: Showing, exposure: Exposure) -> Due:  # noqa: ARG002
        """The whole price of every draw; what the vault holds was paid with its own.

        Nothing is ever shown again, so no ``exposure`` matters.
        """
        new = [use for use in showing.uses if use.state != "shown"]
        return Due(_lacking(showing), tuple(map(showing.drawing, new)))

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """T ε, or T ρ, by sequential composition."""
        if self.delta is not None:
            return renew_in_rho(unit, self.delta)
        return in_epsilon.renew(unit, unit.price * unit.epochs)


def _lacking(showing: Showing) -> tuple[NoiseUse, ...]:
    return tuple(use for use in showing.uses if use.state == "lacking")
