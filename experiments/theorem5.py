"""Theorem 5: what epochs cost, ε₀(T) = log((1 − ρ) e^ε + ρ e^(Tε)), and how many fit.

Out of the functions that price an epoch in the service, not out of the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sigmacount import units
from sigmacount.evolving import epsilon_after, max_epochs

EPSILON: Final = 100_000  # µε of the first release, 0.1 as in mathematics.md §6
RHOS: Final = (1e-2, 1e-3, 1e-4, 1e-5)
EPOCHS: Final = (1, 10, 50, 100, 200)
BUDGETS: Final = (200_000, 500_000, 1_000_000, 3_000_000)  # µε
KNOWN: Final = {(1e-3, 50): 0.225, (1e-3, 100): 3.141}  # mathematics.md §6
DIGITS: Final = 0.0005  # these are given with three


@dataclass(frozen=True, slots=True)
class Price:
    """ε₀ of one noise of ``EPSILON`` shown in T epochs, beside the figure known."""

    rho: float
    epochs: int
    epsilon: float
    known: float | None

    @property
    def passed(self) -> bool:
        """Whether it is the figure known, to the digits given."""
        return self.known is None or abs(self.epsilon - self.known) <= DIGITS


@dataclass(frozen=True, slots=True)
class Lifetime:
    """T*: the most epochs that a budget pays for.

    Units: ``budget`` in µε.

    Attributes:
        linear: how many it would pay for if epochs composed one after the other.
    """

    rho: float
    budget: int
    epochs: int
    linear: int

    @property
    def passed(self) -> bool:
        """Whether one more is too dear, and T* itself is not."""
        after = [epsilon_after(EPSILON, self.rho, self.epochs + n) for n in (0, 1)]
        return after[0] <= self.budget < after[1]


def price(rho: float, epochs: int) -> Price:
    """ε₀(T) as the ledger charges it."""
    paid = units.epsilon(epsilon_after(EPSILON, rho, epochs))
    return Price(rho, epochs, paid, KNOWN.get((rho, epochs)))


def prices() -> list[Price]:
    """ε₀ over T and ρ."""
    return [price(rho, epochs) for rho in RHOS for epochs in EPOCHS]


def lifetimes() -> list[Lifetime]:
    """T* for a budget, by ρ."""
    return [
        Lifetime(rho, budget, max_epochs(EPSILON, rho, budget), budget // EPSILON)
        for rho in RHOS
        for budget in BUDGETS
    ]
