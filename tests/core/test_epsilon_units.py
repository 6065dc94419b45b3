"""Budgets are whole µε; ε becomes a float once, and then towards more noise."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.mechanisms import MICRO, as_epsilon
from sigmacount.mechanisms.amount import as_micro, laplace_scale


@given(st.integers(1, 10**12))
def test_a_scale_never_costs_more_than_its_budget(budget):
    """Sensitivity / scale ≤ ε in exact arithmetic, whatever the float rounding."""
    assert Fraction(1) / Fraction(laplace_scale(budget)) <= Fraction(budget, MICRO)


@given(st.floats(1e-5, 1e5))
def test_micro_rounds_towards_spending_less(value):
    """Never more than was meant, beyond the last digit of the float itself."""
    assert as_micro(value) <= value * MICRO + 1e-6
    assert as_micro(value) > value * MICRO - 1.001


def test_whole_numbers_of_micro_epsilon_survive_the_way_there_and_back():
    """0.1 ε is 100,000 µε, although 0.1 is no binary fraction."""
    assert as_micro(0.1) == 100_000
    assert as_epsilon(100_000) == 0.1


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_a_budget_that_is_none_is_refused(value):
    """It would be no promise, or an endless one."""
    with pytest.raises(ValueError, match="finite and positive"):
        as_micro(value)


@pytest.mark.parametrize("given_", [(0, 1), (1, 0), (-5, 1)])
def test_a_scale_needs_a_budget_and_a_sensitivity(given_):
    """Without a budget there is no noise that is large enough."""
    with pytest.raises(ValueError, match="at least 1"):
        laplace_scale(*given_)
