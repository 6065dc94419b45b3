"""Plots: utility against Q, error against ε by strategy, ε₀ against T."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from experiments.measuring.errors import Error
from experiments.report.svg import Chart, Look, PlotAxis, Series
from sigmacount.accounting import epsilon_after
from sigmacount.mechanisms import as_epsilon

POINTS: Final = 61  # on a curve
MOST_EPOCHS: Final = 200
SHORTER: Final = (  # the legend has room for some 25 letters
    ("Algorithm 4 as published, u=3", "Algorithm 4 as published"),
    (", ε by number of constraints", ""),
    (" clusters, parallel, best split of ε", ", parallel"),
    (" over all columns", ""),
    ("disjoint column blocks, the rest from one product algebra", "column blocks"),
)
Cell = tuple[int, int, int]  # columns, Q, u


def utility_figure(
    closed_form: Callable[[int, int, int], float],
    paper: Mapping[Cell, float],
    measured: Mapping[Cell, float],
) -> str:
    """Utility against Q for each u: lines in closed form, the paper's and our points.

    ``closed_form`` takes columns, Q and u.
    """
    series = [
        *_curves(closed_form, sorted({columns for columns, _, _ in paper})),
        Series("paper", _points(paper), 5, "rings"),
        Series("drawn", _points(measured), 4, "dots"),
    ]
    return Chart(
        title="Utility of Algorithm 4 against the number of questions",
        words=(
            "Mean squared error of the benchmark over that of Algorithm 4, by size u"
            " of the clusters: lines in closed form, rings as published, dots as drawn."
        ),
        x=PlotAxis("questions Q", 1e4, 1e7),
        y=PlotAxis("utility (ratio of mean squared errors)", 0.1, 100),
        series=series,
    ).svg()


def error_figure(errors: Sequence[Error]) -> str:
    """Error against ε for each strategy: lines predicted, dots measured."""
    low, high = 0.01, 1e4
    least = min(_rows(error.predicted, high) for error in errors)
    most = max(_rows(error.predicted, low) for error in errors)
    columns, questions = errors[0].columns, errors[0].questions
    return Chart(
        title=f"Error against ε: {columns} columns, {questions:,} questions",
        words=(
            "Root mean squared error in rows against the whole ε spent: lines as"
            " predicted, dots as measured. " + _ranking(errors)
        ),
        x=PlotAxis("ε spent in all, B (lines predicted, dots measured)", low, high),
        y=PlotAxis(
            "root mean squared error (rows)", _power(least, -1), _power(most, 1)
        ),
        series=[
            each
            for colour, error in enumerate(errors)
            for each in _line_and_dot(error, colour, (low, high))
        ],
    ).svg()


def epoch_figure(epsilon: int, rhos: Sequence[float]) -> str:
    """ε₀ against T for each ρ, beside the sum that fresh noise would cost.

    Units: ``as_epsilon`` in µε.
    """
    epochs = range(1, MOST_EPOCHS + 1)
    curves = {
        f"ρ = {rho:.6f}".rstrip("0"): [
            (float(t), as_epsilon(epsilon_after(epsilon, rho, t))) for t in epochs
        ]
        for rho in rhos
    }
    curves["fresh noise, Tε"] = [(float(t), as_epsilon(t * epsilon)) for t in epochs]
    last = len(curves) - 1
    return Chart(
        title=f"What T epochs cost, first release ε = {as_epsilon(epsilon):g}",
        words=(
            "ε₀ of Theorem 5 against the number of epochs T, for several shares ρ of"
            " rows that do not stay as they are; dashed: fresh noise at every epoch."
        ),
        x=PlotAxis("epochs T", 0, MOST_EPOCHS, even=True),
        y=PlotAxis("ε₀", 0.05, 50),
        series=[
            Series(name, points, k, "line" if k < last else "dashed")
            for k, (name, points) in enumerate(curves.items())
        ],
    ).svg()


def _curves(
    closed_form: Callable[[int, int, int], float], widths: list[int]
) -> list[Series]:
    """Utility against Q in closed form, a line for each u and number of columns."""
    counts = [round(q) for q in np.geomspace(1e4, 1e7, POINTS)]
    looks: tuple[Look, ...] = "line", "dashed"
    return [
        Series(
            f"u={u}, {columns} columns",
            [(q, closed_form(columns, q, u)) for q in counts],
            u,
            look,
        )
        for look, columns in zip(looks, widths, strict=True)
        for u in (3, 2, 1)
    ]


def _points(cells: Mapping[Cell, float]) -> list[tuple[float, float]]:
    """Utility against Q, whatever u and the columns."""
    return [(float(questions), value) for (_, questions, _), value in cells.items()]


def _line_and_dot(
    error: Error, colour: int, between: tuple[float, float]
) -> tuple[Series, Series]:
    """What is predicted for any ε, and what was measured at one."""
    curve = [(epsilon, _rows(error.predicted, epsilon)) for epsilon in between]
    spent = as_epsilon(error.spent)
    dot = [(spent, _rows(error.measured, spent))]
    line = Series(_short(error.strategy), curve, colour)
    return line, Series("", dot, colour, "dots")


def _rows(units_of_2: float, epsilon: float) -> float:
    """Root mean squared error of a figure in units of 2/B²."""
    return math.sqrt(2 * units_of_2) / epsilon


def _power(value: float, up: int) -> float:
    """The power of ten next to a value, below or above."""
    power = math.log10(value)
    return float(10.0 ** (math.ceil(power) if up > 0 else math.floor(power)))


def _short(name: str) -> str:
    """The name as far as the legend has room."""
    for long, short in SHORTER:
        name = name.replace(long, short)
    return name


def _ranking(errors: Sequence[Error]) -> str:
    """The strategies from the least error to the greatest."""
    ordered = sorted(errors, key=lambda error: error.predicted)
    return "From least to most: " + "; ".join(e.strategy for e in ordered) + "."
