"""Amount: how much privacy an act costs, in whole units of one measure.

Two measures are known, and a number of one is never taken for a number of the other:

epsilon
    Pure differential privacy, in µε (1e-6 of ε). Charges add up.
rho
    Zero-concentrated differential privacy (zCDP, Bun and Steinke 2016), in pico-ρ
    (1e-12 of ρ). Charges add up as well.

Pure ε-DP is (ε²/2)-zCDP (their Proposition 1.4), so e µε count as e²/2 pico-ρ: the
units are chosen so that nothing but the half is rounded, and that upwards. A bound on
ρ promises no pure ε at all, so there is no way back. What ρ promises as (ε, δ) depends
on δ: ``mechanisms.rho`` says it when a promise is made, not when noise is charged.

An amount becomes a float only to draw noise or to predict error, and the noise scale
is rounded *up*: more noise, never less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import total_ordering
from typing import Final

from sigmacount.errors import MeasureMismatch

MICRO: Final = 1_000_000  # µε in one ε
PICO: Final = 10**12  # pico-ρ in one ρ
MOST_UNITS: Final = 2**53 - 1  # the last integer that a Lua number keeps exact


class Measure(StrEnum):
    """What privacy is counted in; its value is its name on the wire."""

    EPSILON = "epsilon"
    RHO = "rho"

    @property
    def unit(self) -> str:
        """The unit of its whole numbers, as people read it."""
        return {Measure.EPSILON: "µε", Measure.RHO: "pρ"}[self]


@total_ordering
@dataclass(frozen=True, slots=True)
class Amount:
    """So many whole units of one measure; amounts of two measures never mix.

    Amounts of one measure are added, subtracted, multiplied by whole numbers and
    compared. Two amounts are equal only if their measures are.

    Units: µε where ``measure`` is epsilon, pico-ρ (1e-12 ρ) where it is rho.

    Raises:
        ValueError: not a whole number of units in [0, 2^53), at birth or as a result;
            the caller has a bug.
        MeasureMismatch: two measures meet in a sum or a comparison; the caller says
            with ``charged_in`` what the one counts as in the other.
    """

    measure: Measure
    units: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "measure", Measure(self.measure))  # a word of the wire
        if type(self.units) is not int or not 0 <= self.units <= MOST_UNITS:
            msg = f"an amount is a whole number of {self.measure.unit} in [0, 2^53)"
            raise ValueError(msg)

    @staticmethod
    def pure(units: int) -> Amount:
        """So many µε of pure differential privacy."""
        return Amount(Measure.EPSILON, units)

    @staticmethod
    def zcdp(units: int) -> Amount:
        """So many pico-ρ of zero-concentrated differential privacy."""
        return Amount(Measure.RHO, units)

    @property
    def micro_epsilon(self) -> int:
        """The µε of an amount of pure ε; MeasureMismatch for one of ρ."""
        self._alike(Amount.pure(0))
        return self.units

    @property
    def epsilon(self) -> float:
        """Its ε, for predictions and display only; MeasureMismatch as above."""
        return as_epsilon(self.micro_epsilon)

    @property
    def exact(self) -> Fraction:
        """Its ε or its ρ, to hold a certificate against."""
        whole = {Measure.EPSILON: MICRO, Measure.RHO: PICO}[self.measure]
        return Fraction(self.units, whole)

    @property
    def in_both(self) -> str:
        """In its units, as messages say it, and whole: ``500 µε (0.0005 ε)``."""
        if not self.units:
            return str(self)
        scale, sign = {Measure.EPSILON: (6, "ε"), Measure.RHO: (12, "ρ")}[self.measure]
        whole, rest = divmod(self.units, 10**scale)
        digits = f"{whole}.{rest:0{scale}}".rstrip("0").rstrip(".")
        return f"{self} ({digits} {sign})"

    def __str__(self) -> str:
        return f"{self.units} {self.measure.unit}"

    def __add__(self, other: Amount) -> Amount:
        return replace(self, units=self.units + self._alike(other).units)

    def __sub__(self, other: Amount) -> Amount:
        return replace(self, units=self.units - self._alike(other).units)

    def __mul__(self, times: int) -> Amount:
        return replace(self, units=self.units * times)

    __rmul__ = __mul__

    def __lt__(self, other: Amount) -> bool:
        return self.units < self._alike(other).units

    def charged_in(self, measure: Measure) -> Amount:
        """What this amount counts as in a ledger that holds ``measure``.

        Exactly ⌈e²/2⌉ pico-ρ for e µε; an amount of the ledger's own measure as it is.

        Raises:
            MeasureMismatch: a ledger of pure ε cannot hold ρ; nothing was charged.
            ValueError: 2^53 pico-ρ or more (above 134 ε): no ledger holds so much.
        """
        held = Measure(measure)
        if self.measure is held:
            return self
        if held is Measure.EPSILON:
            raise MeasureMismatch(self.measure.value, held.value)
        return Amount.zcdp((self.units**2 + 1) // 2)

    def _alike(self, other: Amount) -> Amount:
        if self.measure is not other.measure:
            raise MeasureMismatch(self.measure.value, other.measure.value)
        return other


def as_micro(epsilon: float, name: str = "ε") -> int:
    """Largest whole number of µε that is not above ``epsilon``; at least 1.

    Raises:
        ValueError: ``epsilon`` is not finite or below 1 µε; the text says which one
            by ``name``, and the caller mends it.
    """
    units = math.floor(epsilon * MICRO + 1e-9) if math.isfinite(epsilon) else 0
    if units < 1:
        msg = f"{name} must be finite and at least 0.000001 (1 µε), not {epsilon!r}"
        raise ValueError(msg)
    return units


def as_epsilon(units: int) -> float:
    """The ε of so many µε, for predictions and display only (nearest float)."""
    return units / MICRO
