"""What a row is protected by that changed more than once: lemma L2, and its words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sigmacount.continual import (
    HORIZONS,
    price_of_changes,
    price_of_owner,
    protections,
)
from sigmacount.mechanisms import PICO, Amount

ONE = Amount.zcdp(14_973_057_673)  # ε = 1 at δ = 1e-9
MANY = (1, 2, 3, 4, 8, 16)


@pytest.mark.parametrize(
    ("units", "kappa", "epsilons"),
    [
        (14_973_057_673, 0.0, (1.000, 1.437, 1.778, 2.070, 2.989, 4.336)),
        (177_138_000, 0.0, (0.100, 0.143, 0.177, 0.205, 0.294, 0.421)),
        (56_131_000_000, 0.0, (2.000, 2.888, 3.586, 4.187, 6.103, 8.963)),
        (14_973_057_673, 1.0, (1.000, 2.070, 2.565, 2.989, 4.336, 6.324)),
    ],
)
def test_epsilon_grows_slower_than_the_changes(units, kappa, epsilons):
    """At δ = 1e-9, to a thousandth, and rounded up."""
    found = protections(Amount.zcdp(units), kappa, 1e-9, MANY)

    assert [each.changes for each in found] == list(MANY)
    assert [each.micro_epsilon / 1e6 for each in found] == pytest.approx(
        epsilons, abs=6e-4
    )


def test_one_two_four_and_eight_changes_are_stated():
    """ρ, (1 + κ)·m·ρ, whole pico-ρ rounded up."""
    found = protections(Amount.zcdp(1_001), 0.0625, 1e-9)

    assert [(each.changes, each.price.units) for each in found] == [
        (1, 1_001),
        (2, 2_128),
        (4, 4_255),
        (8, 8_509),
    ]


def test_pure_epsilon_adds_up():
    """Of the tree: m·ε, whatever the matrix."""
    found = protections(Amount.pure(700_000), 1.0, 1e-9, (1, 3))

    assert [each.micro_epsilon for each in found] == [700_000, 2_100_000]
    assert found[1].price == Amount.pure(2_100_000)


@pytest.mark.parametrize(("kappa", "changes"), [(0.0, 0), (-0.1, 2), (1.1, 2)])
def test_what_is_no_statement_is_refused(kappa, changes):
    """The caller has a bug."""
    with pytest.raises(ValueError, match="changes at κ"):
        price_of_changes(ONE, kappa, changes)


def life(kernel, changes, rng):
    """A row's stays: (cell, from, until), None for ever; cells −1 outside."""
    ticks = np.sort(rng.choice(400, changes, replace=False))
    stays, left, t = [], changes, 0
    cell = int(rng.integers(len(kernel)))
    while left:
        start = int(ticks[t])
        t, left = t + 1, left - 1
        while left >= 2 and rng.random() < 0.7:  # an update: two changes
            stays.append((cell, start, int(ticks[t])))
            start, t, left = int(ticks[t]), t + 1, left - 2
            cell = int(rng.integers(len(kernel)))
        until = None
        if left:
            until, t, left = int(ticks[t]), t + 1, left - 1
        stays.append((cell, start, until))
        cell = int(rng.integers(len(kernel)))
    return stays


def cost(kernel, lags, stays):
    """Σ_{k,l} K(x_k, x_l) ⟨φ_k, φ_l⟩, φ of a stay the shift that it makes for ever."""

    def inner(one, other):
        edges = [(one[1], 1), (one[2], -1)], [(other[1], 1), (other[2], -1)]
        return sum(
            s * r * lags[abs(a - b)]
            for a, s in edges[0]
            for b, r in edges[1]
            if a is not None and b is not None
        )

    return sum(kernel[a[0], b[0]] * inner(a, b) for a in stays for b in stays)


def autocorrelation(horizon, count):
    """G of the weights c, lag by lag."""
    pairs = [
        (float(w), float(t))
        for w, t in zip(horizon.omegas, horizon.thetas, strict=True)
    ]
    shares = [w * (1 + t * sum(v / (1 - s * t) for v, s in pairs)) for w, t in pairs]
    first = 1 + sum(w * v / (1 - s * t) for w, s in pairs for v, t in pairs)
    n = np.arange(count - 1)
    later = sum(a * t**n for a, (_, t) in zip(shares, pairs, strict=True))
    return np.concatenate([[first], later])


KERNELS = {
    "one count": (np.ones((1, 1)), 0.0),
    "two atoms": (np.eye(2), 0.0),
    "one contrast of two blocks": (np.array([[1.0, -1], [-1, 1]]), 1.0),
    "one contrast of three": (1.5 * np.eye(3) - 0.5, 0.5),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("changes", [2, 3, 4, 8, 16])
def test_no_life_of_a_row_costs_more(name, changes):
    """Two hundred lives: at most (1 + κ)·m times one change."""
    kernel, kappa = KERNELS[name]
    lags = autocorrelation(HORIZONS[128], 401)
    rng = np.random.default_rng(changes)

    worst = max(cost(kernel, lags, life(kernel, changes, rng)) for _ in range(200))

    assert 0 < worst <= (1 + kappa) * changes * lags[0] * (1 + 1e-9)


def test_without_kappa_it_would_be_false():
    """Where two cells pull against each other, three changes cost more than 3ρ."""
    kernel, _ = KERNELS["one contrast of two blocks"]
    lags = autocorrelation(HORIZONS[128], 3_001)

    worst = cost(kernel, lags, [(0, 0, 2_900), (1, 2_900, None)]) / lags[0]

    assert worst == pytest.approx(4.98, abs=0.05)
    assert price_of_changes(ONE, 1.0, 3).units / ONE.units > worst


def test_an_update_at_once_costs_two_changes():
    """And an insert that is deleted in the next epoch, in one count, 0.4 of one."""
    lags = autocorrelation(HORIZONS[1_024], 10)
    one, _ = KERNELS["one count"]

    assert cost(one, lags, [(0, 4, 5)]) / lags[0] == pytest.approx(0.40, abs=0.01)
    assert cost(np.eye(2), lags, [(0, 4, 5), (1, 5, None)]) / lags[0] < 3
    assert math.isclose(ONE.units / PICO, 0.014973, abs_tol=1e-6)


def lives(kernel, rows, changes, rng):
    """Stays of an owner with so many rows at a time, and how many changes they are."""
    parts = rng.multinomial(changes, np.full(rows, 1 / rows))
    stays = [each for m in parts if m for each in life(kernel, int(m), rng)]
    return stays, sum(1 if until is None else 2 for *_, until in stays)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_no_owner_of_several_rows_costs_more(name, rows):
    """Two hundred owners: at most min(c, m)·(1 + κ)·m times one change."""
    kernel, kappa = KERNELS[name]
    lags = autocorrelation(HORIZONS[128], 401)
    rng = np.random.default_rng(rows)

    for changes in rng.integers(1, 12, 200):
        stays, many = lives(kernel, rows, int(changes), rng)
        most = price_of_owner(ONE, kappa, rows, many).units / ONE.units

        assert cost(kernel, lags, stays) / lags[0] <= most * (1 + 1e-9)


def test_rows_that_come_together_cost_what_is_said():
    """C rows of one cell at one tick, for ever: c² times one change, and no less."""
    one, _ = KERNELS["one count"]
    lags = autocorrelation(HORIZONS[128], 10)

    for rows in (1, 2, 5):
        together = cost(one, lags, [(0, 3, None)] * rows) / lags[0]

        assert together == pytest.approx(rows**2)
        assert price_of_owner(ONE, 0.0, rows, rows) == ONE * rows**2


def test_of_a_tree_rows_add_up():
    """Pure ε asks how many changes there are, not of how many rows."""
    assert price_of_owner(Amount.pure(700_000), 1.0, 4, 9) == Amount.pure(6_300_000)


def test_more_rows_than_changes_are_no_rows():
    """One change is of one row, whatever else might be."""
    assert price_of_owner(ONE, 0.5, 9, 1) == ONE
    assert price_of_owner(ONE, 0.0, 9, 2) == ONE * 4


@pytest.mark.parametrize(("rows", "changes"), [(0, 3), (2, 0)])
def test_an_owner_of_nothing_is_refused(rows, changes):
    """The caller has a bug."""
    with pytest.raises(ValueError, match="at least one"):
        price_of_owner(ONE, 0.0, rows, changes)
