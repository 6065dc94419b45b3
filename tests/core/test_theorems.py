"""Error, utility and the split of ε are what the formulas say, in whole µε."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import BudgetExhausted
from sigmacount.planner import theorems

errors = st.lists(st.floats(0, 1e9), min_size=1, max_size=8)
positive = st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=8)
budgets = st.integers(1_000, 10**12)


@given(errors=errors, budget=budgets)
def test_a_split_gives_out_the_whole_budget(errors, budget):
    """Nothing is lost to rounding, nothing is overspent, nobody is left out."""
    parts = theorems.split_budget(budget, errors)

    assert sum(parts) == budget
    assert min(parts) >= 1


@given(errors=errors, data=st.data(), budget=budgets)
def test_a_priced_split_never_exceeds_the_budget(errors, data, budget):
    """Under the paper's rule a group costs |Ω_k| ε_k."""
    count = len(errors)
    prices = data.draw(st.lists(st.integers(1, 100), min_size=count, max_size=count))

    parts = theorems.split_budget(budget, errors, prices)

    spent = sum(n * part for n, part in zip(prices, parts, strict=True))
    assert budget - max(prices) < spent <= budget
    assert min(parts) >= 1


@given(errors=positive)
def test_no_other_split_errs_less(errors):
    """The least error of the formula is reached, up to whole µε."""
    budget = 10**9

    parts = np.array(theorems.split_budget(budget, errors)) / 1e6

    reached = sum(2 * w / part**2 for w, part in zip(errors, parts, strict=True))
    assert reached == pytest.approx(
        theorems.least_error(budget / 1e6, errors), rel=1e-3
    )


@given(errors=positive, data=st.data())
def test_no_random_split_errs_less(errors, data):
    """The formula is a lower bound, under prices too."""
    count = len(errors)
    some = st.lists(st.floats(0.1, 10), min_size=count, max_size=count)
    parts, prices = np.array(data.draw(some)), np.array(data.draw(some))
    epsilon = float(parts @ prices)

    error = float((2 * np.array(errors) / parts**2).sum())

    assert error >= theorems.least_error(epsilon, errors, prices) * (1 - 1e-9)


def test_epsilon_goes_by_the_cube_root():
    """W = 1, 8, 27 share 1 : 2 : 3."""
    assert theorems.split_budget(600_000, [1, 8, 27]) == (100_000, 200_000, 300_000)


def test_groups_that_nobody_asks_share_alike():
    """There is no reason to prefer one."""
    assert theorems.split_budget(10, [0, 0, 0]) == (4, 3, 3)


def test_a_budget_below_one_unit_each_is_refused():
    """The error tells what was needed."""
    with pytest.raises(BudgetExhausted) as refused:
        theorems.split_budget(5, [1, 1], [3, 3])

    assert (refused.value.asked, refused.value.left) == (6, 5)


def test_utility_is_the_mean_of_two_over_the_variance():
    """Definition 6: variances 2 and 4 make (1 + 1/2) / 2."""
    assert theorems.utility([2, 4]) == 0.75
    assert theorems.utility([2, 4], [3, 1]) == 0.875


def test_the_tables_divide_mean_errors():
    """The other figure the paper calls utility: not the same one."""
    assert theorems.mean_error([2, 4]) == 3
    assert theorems.mean_error([2, 4], [3, 1]) == 2.5
