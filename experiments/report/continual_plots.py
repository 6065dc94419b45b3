"""Plots of continual counts: error over a year, what an attacker learns, by rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from experiments.report.svg import Chart, Look, PlotAxis, Series

HOURS: Final = 8_766  # of a year


class Curve(NamedTuple):
    """A line as predicted, and dots as drawn."""

    name: str
    predicted: Sequence[tuple[float, float]]
    drawn: Sequence[tuple[float, float]] = ()


def year_figure(curves: Sequence[Curve]) -> str:
    """Error of one count over a year of hours, by rule, at ε = 1."""
    return Chart(
        title="Error of one count over a year of hourly epochs, ε = 1",
        words=(
            "Root mean squared error in rows against hours, all paid for by one charge"
            " of ε = 1: lines as predicted, dots as drawn. From most to least at the"
            f" end: {_ranking(curves)}. `fixed-noise` hides no change of a row."
        ),
        x=PlotAxis(
            "hours since the first epoch (lines predicted, dots drawn)", 1, HOURS
        ),
        y=PlotAxis("root mean squared error (rows)", 1, 100_000),
        series=_series(curves),
    ).svg()


def attack_figure(curves: Sequence[Curve], rho: float, most: int) -> str:
    """What is won by looking at so many epochs, by rule."""
    return Chart(
        title=f"What an attacker learns of one row, ρ = {rho:g}",
        words=(
            "Advantage, 2·P(right) − 1, of who knows all but whether one row came,"
            " against the number of epochs looked at since: lines as predicted, dots as"
            f" won. From most to least: {_ranking(curves)}. Dashed: what counters may"
            " let him win in any number of epochs."
        ),
        x=PlotAxis("epochs looked at (lines predicted, dots won)", 1, most),
        y=PlotAxis("advantage, 2·P(right) − 1", 0, 1, even=True),
        series=_series(curves),
    ).svg()


def _series(curves: Sequence[Curve]) -> list[Series]:
    found: list[Series] = []
    for colour, curve in enumerate(curves):
        look: Look = "dashed" if curve.name.startswith("bound") else "line"
        found.append(Series(curve.name, curve.predicted, colour, look))
        if curve.drawn:
            found.append(Series("", curve.drawn, colour, "dots"))
    return found


def _ranking(curves: Sequence[Curve]) -> str:
    ranked = sorted(curves, key=lambda curve: -curve.predicted[-1][1])
    return "; ".join(curve.name for curve in ranked)
