"""Spending: what a year of counts costs that err so much, by rule."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from experiments.continual import year
from experiments.report.derived import DerivedNumber, about
from experiments.report.tables import ResultTable, TableRow
from sigmacount.accounting import epsilon_after
from sigmacount.continual import horizon_for, variance_factor
from sigmacount.mechanisms import MICRO, PICO, epsilon_of, most_rho

RMS: Final = 22.0  # rows, of one count in the mean over the year
CHEAPEST: Final = 1.0  # ε: what hourly counts cost by the rules that hide changes
HEADER: Final = ("epochs of", "in a year", *year.RULES)
NOTE: Final = (
    "ε of a year of counts that each err {rms:g} rows, root mean square over the year"
    " (counters and Gaussian noise: δ = 10⁻⁹). `fixed-noise`: ε₀ of Theorem 5 with 0.1"
    " % of rows changing, which hides no change. Laplace trees and counters go on after"
    " the year at no charge. Bounds: counters cost at most {cheapest:g} for hourly"
    " epochs, and no rule that draws anew costs less than the cheaper of counters and"
    " tree."
)


def costs(epochs: int, rms: float = RMS) -> Mapping[str, float]:
    """ε of a year in which one count errs so much, by rule."""
    square, fixed = rms**2, math.sqrt(2) / rms
    gaussian = year.factor_of_counters(epochs), float(epochs)
    rho = (factor / (2 * square) for factor in gaussian)
    counters, fresh = (epsilon_of(math.ceil(each * PICO), year.DELTA) for each in rho)
    tree = of_tree(epochs, square)
    shown = epsilon_after(round(fixed * MICRO), year.CHURN, epochs) / MICRO
    each = counters, tree, fresh, epochs * fixed, shown
    return dict(zip(year.RULES, each, strict=True))


def of_tree(epochs: int, square: float) -> float:
    """The least ε, to a µε, whose tree errs no more in the mean (rows²)."""
    low, high = 1, 1_000 * MICRO
    while high - low > 1:
        middle = (low + high) // 2
        enough = year.of_tree(middle / MICRO, epochs) <= square
        low, high = (low, middle) if enough else (middle, high)
    return high / MICRO


def table() -> ResultTable:
    """The year by length of epochs."""
    rows = tuple(_row(epoch, epochs) for epoch, epochs in year.YEAR.items())
    note = NOTE.format(rms=RMS, cheapest=CHEAPEST)
    return ResultTable("What a year costs", HEADER, rows, note)


def _row(epoch: str, epochs: int) -> TableRow:
    found = costs(epochs)
    cells = epoch, f"{epochs:,}", *(_said(found[rule]) for rule in year.RULES)
    return TableRow(cells, missed(epoch, found))


def missed(epoch: str, found: Mapping[str, float]) -> str:
    """Why a row is out of its bounds; empty when it is not."""
    counters, tree, *fresh = (found[rule] for rule in year.RULES[:4])
    if epoch == "1 h" and counters > CHEAPEST:
        return f"counters cost {counters:.3f}"
    if min(fresh) < min(counters, tree):
        return f"fresh noise costs {min(fresh):.3f}"
    return ""


def _said(epsilon: float) -> str:
    return f"{epsilon:,.2f}" if epsilon < year.TENTHS else f"{epsilon:,.0f}"


def of_later_years() -> Iterator[DerivedNumber]:
    """Going on, or counting anew with the second year."""
    epochs = year.YEAR["10 s"]
    horizon, once = horizon_for(epochs), most_rho(MICRO, year.DELTA)
    v = (variance_factor(horizon, n * epochs) for n in (1, 2))
    for name, wanted, factor in zip(("first", "second"), (34.8, 37.7), v, strict=True):
        yield about(f"V at the end of the {name} year, 10 s", wanted, 0.005, factor)
    anew = epsilon_of(2 * once, year.DELTA)
    yield about("ε of two years, counted anew after one, from ε = 1", 1.44, 0.005, anew)
    for epoch, wanted in {
        "10 s": 32.3,
        "1 min": 25.9,
        "1 h": 14.3,
        "1 day": 8.3,
    }.items():
        factor = year.factor_of_counters(year.YEAR[epoch])
        yield about(f"V over a year of epochs of {epoch}", wanted, 0.01, factor)
