"""Continual counts: noise over time, what it errs, what it hides, what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from experiments.continual import (
    drawn,
    factorizations,
    kronecker,
    polling,
    spending,
    year,
)
from experiments.continual.drawn import DrawnYear
from experiments.continual.polling import Advantage
from experiments.measuring.data import SEED
from experiments.report.continual_plots import Curve, attack_figure, year_figure
from experiments.report.derived import DerivedNumber
from experiments.report.tables import ResultTable, Setting
from sigmacount.continual import LaplaceTree, horizon_for, variance_factor
from sigmacount.mechanisms import MICRO, Amount

HOURS: Final = year.YEAR["1 h"]
POINTS: Final = 40  # on a curve
LATER_HEADER: Final = ("figure", "wanted", "found", "±")
LATER_NOTE: Final = (
    "V in units of 1/(2ρ). A counter that goes on after its horizon costs nothing more;"
    " counted anew, the second year is charged like the first."
)


@dataclass(frozen=True, slots=True)
class SimulationEffort:
    """How much is drawn.

    Attributes:
        lives: of counters and of trees over a year.
        covered: counters whose intervals are looked at.
        releases: lives of ten columns.
    """

    lives: int = 2_000
    covered: int = 20_000
    releases: int = 300
    games: int = polling.GAMES


EFFORT: Final = SimulationEffort()


def tables(setting: Setting) -> Iterator[ResultTable]:
    """Every table, and the figures."""

    def step(what: str) -> None:
        setting.step(f"continual counts: {what}")

    step("V by horizon")
    yield from factorizations.tables()
    step("a year, as predicted")
    yield from year.tables()
    step("a year, drawn")
    years = list(drawn.years(EFFORT.lives, SEED))
    yield drawn.table_of_years(years, EFFORT.lives)
    setting.figures["continual-year"] = year_figure(list(_year_curves(years)))
    step("ten columns")
    data = setting.data.get("adult", setting.data["simulated"])
    yield kronecker.table(kronecker.counted_log(data, EFFORT.releases))
    step("intervals")
    yield drawn.coverage(EFFORT.covered, SEED)
    step("polling")
    found = polling.polled(EFFORT.games, SEED)
    yield polling.table(found, EFFORT.games)
    setting.figures["continual-attack"] = _attack(found)
    step("what a year costs")
    yield spending.table()
    yield _later(list(spending.of_later_years()))


def _later(numbers: Sequence[DerivedNumber]) -> ResultTable:
    rows = tuple(each.row() for each in numbers)
    return ResultTable("Years to come", LATER_HEADER, rows, LATER_NOTE)


def _year_curves(years: Sequence[DrawnYear]) -> Iterator[Curve]:
    """Hourly epochs at ε = 1, by rule."""
    ticks = sorted({round(HOURS ** (k / (POINTS - 1))) for k in range(POINTS)})
    horizon, rho = horizon_for(HOURS), year.rho_of(1.0)
    tree = LaplaceTree.for_epochs(HOURS)
    noise = tree.noise(Amount.pure(MICRO))
    fresh, pure, fixed = year.variances(1.0, HOURS)[2:]
    by_name = {each.noise: each.at for each in years if each.epoch == "1 h"}

    def dots(name: str) -> list[tuple[float, float]]:
        at = by_name.get(f"{name}, ε = 1", {})
        return [(float(tick), math.sqrt(square)) for tick, square in at.items()]

    counters = [(t, variance_factor(horizon, t) / (2 * rho)) for t in ticks]
    blocks = [(t, noise.variance * len(tree.blocks(t))) for t in ticks]
    flat = {"renew, ε": pure, "fixed-noise": fixed, "renew, ρ": fresh}
    for name, square in flat.items():
        yield Curve(name, _roots([(1, square), (HOURS, square)]))
    yield Curve("counters", _roots(counters), dots("counters"))
    yield Curve("Laplace tree", _roots(blocks), dots("Laplace tree"))


def _roots(squares: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    return [(float(tick), math.sqrt(square)) for tick, square in squares]


def _attack(found: Sequence[Advantage]) -> str:
    """Of the larger ρ: epochs from the event on."""
    rho, most = polling.RHOS[0], max(polling.LOOKS)
    own = [each for each in found if each.rho == rho]
    curves = [Curve("fixed-noise", [(1, 1.0), (most, 1.0)], [(1, 1.0)])]
    for rule in ("`renew`", "counters"):
        of_rule = [each for each in own if each.rule == rule][: len(polling.LOOKS)]
        pairs = list(zip(map(float, polling.LOOKS), of_rule, strict=True))
        line = [(n, each.predicted) for n, each in pairs]
        dots = [(n, each.won) for n, each in pairs]
        curves.append(Curve(rule.strip("`"), line, dots))
    bound = next(each.bound for each in own if each.rule == "counters")
    edge = [(1.0, bound), (float(most), bound)]
    return attack_figure([*curves, Curve("bound, counters", edge)], rho, most)
