"""What ρ promises as (ε, δ): the published values, never less, and back again."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.mechanisms import (
    MICRO,
    MOST_UNITS,
    PICO,
    epsilon_beyond,
    epsilon_of,
    micro_epsilon_of,
    most_rho,
)

deltas = st.floats(1e-15, 0.5)
prices = st.integers(1, 100 * PICO)


@pytest.mark.parametrize(
    ("rho", "delta", "epsilon"),
    [
        (0.01, 1e-9, 0.810174),
        (0.5, 1e-6, 5.221534),
        (1, 1e-6, 7.766217),
        (8, 1e-12, 36.734297),
    ],
)
def test_it_is_what_others_have_for_it(rho, delta, epsilon):
    """dp-accounting 0.6 gives these, to six digits."""
    found = epsilon_of(round(rho * PICO), delta)

    assert found == pytest.approx(epsilon, abs=6e-7)
    assert micro_epsilon_of(round(rho * PICO), delta) == math.ceil(found * MICRO)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rho"),
    [
        (1, 1e-9, 0.014973),
        (2, 1e-9, 0.056131),
        (4, 1e-9, 0.206313),
        (8, 1e-9, 0.732833),
        (1, 1e-6, 0.024356),
    ],
)
def test_the_way_back_is_what_others_have_for_it(epsilon, delta, rho):
    """The most ρ that an ε buys."""
    assert most_rho(epsilon * MICRO, delta) / PICO == pytest.approx(rho, abs=6e-7)


@given(prices, deltas, st.floats(-25, 40))
def test_no_order_promises_less(units, delta, log):
    """Whatever α: the least ε is found, up to rounding, which is outwards."""
    alpha = 1 + math.exp(log)
    rho = units / PICO
    tail = math.log1p(1 / (alpha - 1))
    saved = -math.log(delta) - math.log(alpha - 1) - alpha * tail

    at_alpha = alpha * rho + saved / (alpha - 1)

    assert epsilon_of(units, delta) <= max(0, at_alpha) * (1 + 1e-9) + 1e-9


@given(prices, deltas)
def test_the_promise_satisfies_the_theorem(units, delta):
    """At some α the published bound of log δ is kept, with the ε that is said."""
    epsilon, rho = epsilon_of(units, delta), units / PICO
    best = math.sqrt(-math.log(delta) / rho)
    alphas = [1 + best * 1.001**step for step in range(-6_000, 2_000)]

    bound = min(
        (a - 1) * (a * rho - epsilon) - math.log(a - 1) - a * math.log1p(1 / (a - 1))
        for a in alphas
    )

    assert bound <= math.log(delta) + 1e-4


@given(st.integers(1, 50 * MICRO), deltas)
def test_the_most_is_the_most(micro_epsilon, delta):
    """It keeps the promise, and one pico-ρ more does not."""
    units = most_rho(micro_epsilon, delta)

    assert epsilon_of(units, delta) * MICRO <= micro_epsilon
    assert epsilon_of(units + 1, delta) * MICRO > micro_epsilon
    assert micro_epsilon_of(units, delta) <= micro_epsilon


@given(st.integers(0, 10**11), st.integers(0, 10**11), st.integers(1, 10**11), deltas)
def test_what_is_shown_later_adds_less_the_more_was_shown_before(
    before, more, shown, delta
):
    """Concave; and what it adds is never less than the promises differ by."""
    added = epsilon_beyond(before, shown, delta)

    assert 0 <= epsilon_beyond(before + more, shown, delta) <= added + 1e-12
    told = epsilon_of(before + shown, delta) - epsilon_of(before, delta)
    assert told <= added <= max(told, 0) + 2 * delta + 1e-9


def test_nothing_costs_nothing_and_a_budget_buys_no_more_than_a_ledger_holds():
    """The ends of the scale."""
    assert epsilon_of(0, 1e-9) == 0
    assert epsilon_of(1, 0.9) == 0
    assert most_rho(0, 1e-9) == 0
    assert most_rho(10**12, 1e-9) == MOST_UNITS


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan])
def test_delta_is_a_probability(delta):
    """Strictly between the ends."""
    with pytest.raises(ValueError, match="δ must lie"):
        epsilon_of(1, delta)


@pytest.mark.parametrize("units", [-1, MOST_UNITS + 1, 0.5])
def test_what_no_ledger_holds_promises_nothing(units):
    """The caller mends it."""
    with pytest.raises(ValueError, match="whole number of pρ"):
        epsilon_of(units, 1e-9)
