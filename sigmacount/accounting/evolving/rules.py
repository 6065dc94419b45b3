"""Evolving rules: what an epoch draws, what it is charged, and what it promises.

Under ``fixed-noise`` (Algorithm 5) the noise of the first epoch stays and true changes
are added; Theorem 5 prices that. It averages over whether a person leaves, and is not
differential privacy for anyone who does: docs/guarantee.md says whom it protects.
Under ``renew`` every epoch has noise of its own, and is paid whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import guarantee
from sigmacount.accounting.charges import Charge
from sigmacount.accounting.evolving.showing import NoiseUse, Showing
from sigmacount.accounting.evolving.surcharge import epsilon_after, surcharge
from sigmacount.accounting.guarantee import Guarantee, NoiseUnit
from sigmacount.mechanisms import Amount, Measure


def with_noise(truth: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """N_t(ω) + ζ(ω), which is N̂_1(ω) + N_t(ω) − N_1(ω): Algorithm 5, line 4.

    Deltas join the noisy count, not the clamped one: after post-processing no atom
    is negative, and Theorem 1 holds at every epoch.

    Shapes: int64 (K,) each.
    """
    return truth + noise


class Exposure(Protocol):
    """What a ledger has paid for showing noise again (µε)."""

    @property
    def repeated(self) -> int:
        """Y: noise shown again in later epochs, summed."""
        ...

    @property
    def surcharged(self) -> int:
        """What was paid for that, whatever the purpose."""
        ...


@dataclass(frozen=True, slots=True)
class Unexposed:
    """The exposure before anything was shown again (µε)."""

    repeated: int = 0
    surcharged: int = 0


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
    """

    name: ClassVar[str]
    by_clock: ClassVar[bool]

    @property
    def era(self) -> int:
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

    Raises:
        ValueError: ρ outside (0, 1); the operator mends the configuration.
    """

    name: ClassVar[str] = "fixed-noise"
    by_clock: ClassVar[bool] = False  # it shows changes anyway
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

    def due(self, showing: Showing, exposure: Exposure) -> Due:
        """The price of what is new, and the rise of the surcharge for the rest."""
        new = [use for use in showing.uses if use.state != "shown"]
        prices = [use.price for use in showing.uses if use.state == "shown"]
        charges = [showing.drawing(use) for use in new]
        if prices:
            repeats = sum(price.charged_in(Measure.EPSILON).units for price in prices)
            asked = self._rise(repeats, exposure)
            charges.append(showing.again(Amount.pure(repeats), Amount.pure(asked)))
        return Due(_lacking(showing), tuple(charges))

    def guarantee(self, unit: NoiseUnit) -> Guarantee:
        """ε₀(T), ρ, T, and that changes are exact."""
        total = epsilon_after(unit.price.micro_epsilon, self.rho, unit.epochs)
        return guarantee.fixed_noise(unit, Amount.pure(total), self.rho)

    def _rise(self, repeats: int, exposure: Exposure) -> int:
        """What Theorem 5 asks for all that was ever shown again, less what was paid."""
        due = surcharge(exposure.repeated + repeats, self.rho)
        return max(0, due - exposure.surcharged)


@dataclass(frozen=True, slots=True)
class Renew:
    """Fresh noise at every epoch: privacy for everyone, Tε for T epochs."""

    name: ClassVar[str] = "renew"
    by_clock: ClassVar[bool] = True
    era: int = 0

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
        """T ε by sequential composition."""
        return guarantee.renew(unit, unit.price * unit.epochs)


def _lacking(showing: Showing) -> tuple[NoiseUse, ...]:
    return tuple(use for use in showing.uses if use.state == "lacking")
