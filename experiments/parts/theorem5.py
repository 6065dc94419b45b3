"""Theorem 5: what epochs cost, ε₀(T) = log((1 − ρ) e^ε + ρ e^(Tε)), and how many fit.

Out of the functions that price an epoch in the service, not out of the formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from experiments.report.plots import epoch_figure
from experiments.report.tables import ResultTable, Setting, TableRow
from sigmacount.accounting import epsilon_after, max_epochs
from sigmacount.mechanisms import as_epsilon

EPSILON: Final = 100_000  # µε of the first release, 0.1 as in docs/mathematics.md
RHOS: Final = (1e-2, 1e-3, 1e-4, 1e-5)
EPOCHS: Final = (1, 10, 50, 100, 200)
BUDGETS: Final = (200_000, 500_000, 1_000_000, 3_000_000)  # µε
KNOWN: Final = {(1e-3, 50): 0.225, (1e-3, 100): 3.141}  # docs/mathematics.md
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
    """

    rho: float
    budget: int
    epochs: int

    @property
    def passed(self) -> bool:
        """Whether one more is too dear, and T* itself is not."""
        after = [epsilon_after(EPSILON, self.rho, self.epochs + n) for n in (0, 1)]
        return after[0] <= self.budget < after[1]


def price(rho: float, epochs: int) -> Price:
    """ε₀(T) as the ledger charges it."""
    paid = as_epsilon(epsilon_after(EPSILON, rho, epochs))
    return Price(rho, epochs, paid, KNOWN.get((rho, epochs)))


def prices() -> list[Price]:
    """ε₀ over T and ρ."""
    return [price(rho, epochs) for rho in RHOS for epochs in EPOCHS]


def lifetimes() -> list[Lifetime]:
    """T* for a budget, by ρ."""
    return [
        Lifetime(rho, budget, max_epochs(EPSILON, rho, budget))
        for rho in RHOS
        for budget in BUDGETS
    ]


def tables(setting: Setting) -> Iterator[ResultTable]:
    """ε₀ over T and ρ, T* for a budget, and the figure of both."""
    setting.step("Theorem 5")
    setting.figures["epochs"] = epoch_figure(EPSILON, RHOS)
    yield ResultTable(
        "Theorem 5: ε₀ after T epochs, ε = 0.1",
        ("ρ", *(f"T = {epochs}" for epochs in EPOCHS)),
        tuple(map(_priced, RHOS)),
        "Bound: 3.141 at ρ = 10⁻³ and T = 100, 0.225 at T = 50"
        " ([mathematics.md](mathematics.md), section 7).",
    )
    yield ResultTable(
        "Theorem 5: T*, the most epochs that a budget pays for, ε = 0.1",
        ("ρ", *(f"budget {as_epsilon(budget):g}" for budget in BUDGETS)),
        (*map(_lasting, RHOS), _fresh()),
        "Bound: T* is affordable and T* + 1 is not.",
    )


def _priced(rho: float) -> TableRow:
    found = [price(rho, epochs) for epochs in EPOCHS]
    wrong = [f"{each.epsilon:.4f} at T = {each.epochs}" for each in found]
    missed = [w for w, each in zip(wrong, found, strict=True) if not each.passed]
    return TableRow(
        (f"{rho:g}", *(f"{p.epsilon:.3f}" for p in found)), ", ".join(missed)
    )


def _lasting(rho: float) -> TableRow:
    found = [each for each in lifetimes() if each.rho == rho]
    wrong = [f"T* = {each.epochs} is not the last" for each in found if not each.passed]
    return TableRow(
        (f"{rho:g}", *(str(each.epochs) for each in found)), ", ".join(wrong)
    )


def _fresh() -> TableRow:
    """What the same budgets would pay for with noise drawn anew."""
    return TableRow(("fresh noise", *(str(budget // EPSILON) for budget in BUDGETS)))
