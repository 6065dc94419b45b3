"""Plots of optimal releases: error against ε, where a plan spends, and the bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple

from experiments.report.svg import Chart, PlotAxis, Series

EPSILONS: Final = (0.1, 10.0)
POINTS: Final = 25  # on a curve that is no straight line


class ErrorCurve(NamedTuple):
    """Root mean squared error against ε: a line predicted, a dot measured."""

    name: str
    predicted: Sequence[tuple[float, float]]
    measured: tuple[float, float] | None


class BoundRatio(NamedTuple):
    """V over the bound that nothing unbiased is below, for one way to measure."""

    name: str
    points: Sequence[tuple[float, float]]  # blocks, ratio


def strategies_figure(curves: Sequence[ErrorCurve], delta: float) -> str:
    """Error against ε by strategy, most error first, both by powers of ten."""
    curves = sorted(curves, key=lambda curve: -curve.predicted[0][1])
    rows = [rows for curve in curves for _, rows in curve.predicted]
    series: list[Series] = []
    for colour, curve in enumerate(curves):
        series.append(Series(curve.name, curve.predicted, colour))
        if curve.measured:
            series.append(Series("", [curve.measured], colour, "dots"))
    return Chart(
        title="Error against ε by strategy: the demo's questions",
        words=(
            "Root mean squared error in rows against the ε that is promised, by"
            f" Gaussian noise with δ = {delta:g}: lines as predicted, dots as"
            " measured, what is served where it differs. From most to least: "
            + "; ".join(curve.name for curve in curves)
            + "."
        ),
        x=PlotAxis("ε promised (lines predicted, dots measured)", *EPSILONS),
        y=PlotAxis("root mean squared error (rows)", *_decades(rows)),
        series=series,
    ).svg()


def spending_figure(shares: Mapping[str, Sequence[float]]) -> str:
    """Share of the budget of each attribute set, most first, by number of attributes.

    ``shares`` are those of all sets of one size, by its name.
    """
    ranked = sorted(
        ((share, name) for name, of in shares.items() for share in of), reverse=True
    )
    places: dict[str, list[tuple[float, float]]] = {name: [] for name in shares}
    for place, (share, name) in zip(count(1), ranked, strict=False):
        places[name].append((float(place), 100 * share))
    summed = ", ".join(f"{name} {sum(of):.0%}" for name, of in shares.items())
    return Chart(
        title="Where the plan for the demo's questions spends its budget",
        words=f"Per cent of ρ by attribute set, in falling order; in all: {summed}.",
        x=PlotAxis("attribute sets, most ρ first", 1, 100),
        y=PlotAxis("share of ρ (%)", *_decades([100 * share for share, _ in ranked])),
        series=[
            Series(f"{name}: {sum(shares[name]):.0%}", points, colour, "dots")
            for colour, (name, points) in enumerate(places.items())
        ],
    ).svg()


def bound_figure(ratios: Sequence[BoundRatio]) -> str:
    """V over the bound, against the number of blocks."""
    most = max(ratio for each in ratios for _, ratio in each.points)
    return Chart(
        title="How far noise is from the least possible",
        words=(
            "Mean variance over the singular value bound against the number of blocks"
            " of one attribute: isotropic contrasts (dashed) and shaped ones, for all"
            " ranges and for all prefixes. 1 cannot be beaten without a bias."
        ),
        x=PlotAxis("blocks of the attribute", 10, 200),
        y=PlotAxis("V over its bound", 0, math.ceil(most), even=True),
        series=[
            Series(
                each.name,
                each.points,
                number // 2,
                "dashed" if "isotropic" in each.name else "line",
            )
            for number, each in enumerate(ratios)
        ],
    ).svg()


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Powers of ten around all of them."""
    low, high = math.log10(min(values)), math.log10(max(values))
    return 10.0 ** math.floor(low), 10.0 ** math.ceil(high)
