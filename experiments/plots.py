"""Plots: utility against Q, error against ε by strategy, ε₀ against T."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from experiments.beyond_errors import Error
from experiments.svg import Axis, Chart, Point, Series
from sigmacount import units
from sigmacount.evolving import epsilon_after

POINTS: Final = 61  # on a curve
MOST_EPOCHS: Final = 200
Cell = tuple[int, int, int]  # columns, Q, u


def utility_figure(
    closed_form: Callable[[int, int, int], float],
    paper: Mapping[Cell, float],
    measured: Mapping[Cell, float],
) -> str:
    """Utility against Q for each u: lines in closed form, the paper's and our points.

    ``closed_form`` takes columns, Q and u.
    """
    widths = sorted({columns for columns, _, _ in paper})
    sizes = sorted({u for _, _, u in paper}, reverse=True)
    counts = [round(q) for q in np.geomspace(1e4, 1e7, POINTS)]
    series = []
    for look, columns in zip(("line", "dashed"), widths, strict=False):
        for u in sizes:
            name = f"u={u}, {columns} columns"
            curve = [(q, closed_form(columns, q, u)) for q in counts]
            series.append(
                Series(name, curve, u, "line" if look == "line" else "dashed")
            )
    for name, colour, look, cells in (
        ("paper", 5, "rings", paper),
        ("drawn", 4, "dots", measured),
    ):
        points = [(float(q), value) for (_, q, _), value in cells.items()]
        series.append(
            Series(name, points, colour, "rings" if look == "rings" else "dots")
        )
    return Chart(
        title="Utility of Algorithm 4 against the number of questions",
        told=(
            "Mean squared error of the benchmark over that of Algorithm 4, by size u"
            " of the clusters: lines in closed form, rings as published, dots as drawn."
        ),
        x=Axis("questions Q", 1e4, 1e7),
        y=Axis("utility (ratio of mean squared errors)", 0.1, 100),
        series=series,
    ).svg()


def error_figure(errors: Sequence[Error]) -> str:
    """Error against ε for each strategy: lines predicted, dots measured."""
    low, high = 0.1, 1e4
    series = []
    for colour, error in enumerate(errors):
        curve = [(b, _rows(error.predicted, b)) for b in (low, high)]
        spent = units.epsilon(error.spent)
        dot = (spent, _rows(error.measured, spent))
        series += [
            Series(_short(error.strategy), curve, colour),
            Series("", [dot], colour, "dots"),
        ]
    least = min(_rows(error.predicted, high) for error in errors)
    most = max(_rows(error.predicted, low) for error in errors)
    columns, questions = errors[0].columns, errors[0].questions
    return Chart(
        title=f"Error against ε: {columns} columns, {questions:,} questions",
        told=(
            "Root mean squared error in rows against the whole ε spent: lines as"
            " predicted, dots as measured. " + _ranking(errors)
        ),
        x=Axis("ε spent in all, B", low, high),
        y=Axis("root mean squared error (rows)", _power(least, -1), _power(most, 1)),
        series=series,
    ).svg()


def epoch_figure(epsilon: int, rhos: Sequence[float]) -> str:
    """ε₀ against T for each ρ, beside the sum that fresh noise would cost.

    Units: ``epsilon`` in µε.
    """
    epochs = range(1, MOST_EPOCHS + 1)
    curves = {
        f"ρ = {rho:g}": [
            (float(t), units.epsilon(epsilon_after(epsilon, rho, t))) for t in epochs
        ]
        for rho in rhos
    }
    curves["fresh noise, Tε"] = [(float(t), units.epsilon(t * epsilon)) for t in epochs]
    last = len(curves) - 1
    return Chart(
        title=f"What T epochs cost, first release ε = {units.epsilon(epsilon):g}",
        told=(
            "ε₀ of Theorem 5 against the number of epochs T, for several shares ρ of"
            " rows that do not stay as they are; dashed: fresh noise at every epoch."
        ),
        x=Axis("epochs T", 0, MOST_EPOCHS, even=True),
        y=Axis("ε₀", 0.05, 50),
        series=[
            Series(name, points, k, "line" if k < last else "dashed")
            for k, (name, points) in enumerate(curves.items())
        ],
    ).svg()


def _rows(units_of_2: float, epsilon: float) -> float:
    """Root mean squared error of a figure in units of 2/B²."""
    return math.sqrt(2 * units_of_2) / epsilon


def _power(value: float, up: int) -> float:
    """The power of ten next to a value, below or above."""
    power = math.log10(value)
    return float(10.0 ** (math.ceil(power) if up > 0 else math.floor(power)))


def _short(name: str) -> str:
    """The name as far as the legend has room."""
    return SHORT.get(name, name)


def _ranking(errors: Sequence[Error]) -> str:
    """The strategies from the least error to the greatest."""
    ordered = sorted(errors, key=lambda error: error.predicted)
    return "From least to most: " + "; ".join(e.strategy for e in ordered) + "."


SHORT: Final = {
    "Algorithm 4 as published, u=3": "Algorithm 4 as published",
    "Laplace with memo, ε by number of constraints": "Laplace with memo",
    "u=3 clusters, parallel, best split of ε": "u=3, parallel",
    "u=3 clusters, parallel, best split of ε, memo": "u=3, parallel, memo",
    "one product algebra over all columns": "one product algebra",
    "disjoint column blocks, the rest from one product algebra": "column blocks",
}

__all__ = ["Point", "epoch_figure", "error_figure", "utility_figure"]
