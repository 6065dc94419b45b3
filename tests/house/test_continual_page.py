"""The figures of docs/continual.md, computed again."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from sigmacount.continual import (
    HORIZONS,
    LaplaceTree,
    horizon_for,
    protections,
    variance_factor,
    variance_factor_of_change,
)
from sigmacount.mechanisms import MICRO, PICO, Amount, most_rho
from tests.house import tree
from tests.house.test_documents import rows

TEXT = (tree.ROOT / "docs/continual.md").read_text(encoding="utf-8")
DELTA = 1e-9


def number(cell):
    """A whole number with commas, or 2^n."""
    base, _, power = cell.replace(",", "").partition("^")
    return int(base) ** int(power or 1)


def mean(of, ticks, points=1_100):
    """Over all ticks, or over so many that lie evenly."""
    if ticks <= points:
        return float(np.mean([of(t) for t in range(1, ticks + 1)]))
    return float(
        np.mean([of(round((i + 0.5) * ticks / points + 0.5)) for i in range(points)])
    )


@cache
def factor(horizon):
    """V of one horizon, by tick."""
    return lambda tick: variance_factor(HORIZONS[horizon], tick)


@pytest.mark.parametrize("row", rows(TEXT, "horizon"), ids=lambda row: row[0])
def test_the_table_of_horizons(row):
    """Constants and V, to the digits given."""
    epochs, bits, norm, widest = row[:4]
    horizon, v = HORIZONS[number(epochs)], factor(number(epochs))
    n = horizon.epochs

    assert (int(bits), number(widest)) == (horizon.state_bits, horizon.widest)
    assert f"{horizon.squared_norm / 2**30:.4f}" == norm
    told = [v(1), v(n // 4), v(n), mean(v, n), v(2 * n), v(4 * n), v(16 * n)]
    assert [f"{x:.2f}" for x in told] == row[4:]


@pytest.mark.parametrize(
    "row", rows(TEXT, "V of the change over w epochs"), ids=lambda row: row[0]
)
def test_the_table_of_windows(row):
    """At the end of the horizon."""
    horizon = HORIZONS[number(row[0].split()[1].rstrip(","))]

    told = [
        variance_factor_of_change(horizon, horizon.epochs, w)
        for w in (1, 2, 4, 8, 16, 64, 256)
    ]

    assert [f"{x:.1f}" for x in told] == row[1:]


@pytest.mark.parametrize("row", rows(TEXT, "ε of one change"), ids=lambda row: row[:2])
def test_the_table_of_changes(row):
    """ε of so many changes, to a thousandth."""
    price = Amount.zcdp(most_rho(round(float(row[0]) * MICRO), DELTA))

    stated = protections(price, float(row[1]), DELTA, (2, 3, 4, 8, 16))

    assert [f"{each.micro_epsilon / MICRO:.3f}" for each in stated] == row[2:]


@pytest.mark.parametrize("row", rows(TEXT, "L: epochs"), ids=lambda row: row[0])
def test_the_table_of_trees(row):
    """Radices, mean and worst variance in 1/ε²."""
    epochs = number(row[0])
    shape = LaplaceTree.for_epochs(epochs)

    each = [2 * shape.levels**2 * len(shape.blocks(t)) for t in range(1, epochs + 1)]

    told = ", ".join(map(str, shape.radices)) or "none"
    assert [told, f"{np.mean(each):.0f}", f"{max(each)}"] == row[1:]


@pytest.mark.parametrize("row", rows(TEXT, "epochs of"), ids=lambda row: row[0])
def test_the_table_of_a_year(row):
    """Rms errors of one count at ε = 1."""
    epochs, rho = number(row[1]), most_rho(MICRO, DELTA) / PICO
    horizon, shape = horizon_for(epochs), LaplaceTree.for_epochs(epochs)

    gaussian = mean(lambda t: variance_factor(horizon, t), epochs) / (2 * rho)
    laplace = mean(lambda t: 2 * shape.levels**2 * len(shape.blocks(t)), epochs)

    fresh = math.sqrt(epochs / (2 * rho))
    told = f"{math.sqrt(gaussian):.1f}", f"{math.sqrt(laplace):.0f}", f"{fresh:,.0f}"
    assert list(told) == row[2:]


def test_the_table_of_tellings():
    """V of a question's counter at each telling, beside a draw that is told once."""
    [in_rho, pure] = rows(TEXT, "telling")
    tellings = (1, 2, 4, 8, 16, 64, 128)

    assert [f"{factor(128)(t):.1f}" for t in tellings] == in_rho[1:]
    assert [str(t) for t in tellings] == pure[1:]
