"""Theorem 3: K algebras beat the benchmark for Q above (Σ |Ω_k|) √max |Ω_k|.

Under the tight charge, ε′ for each algebra, Q above K √max |Ω_k| is enough.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import PAPER, PARALLEL, times_charged
from sigmacount.planner import theorem_3
from sigmacount.planner.theorems import theorem_2, utility

BUDGET = 1.0
rules = st.sampled_from([PAPER, PARALLEL])
groupings = st.lists(st.integers(1, 10**5), min_size=1, max_size=20)


def utilities(rule, atoms, queries, summed):
    """Definition 4 for both at one budget; group k is asked for ``summed[k]`` atoms."""
    each = BUDGET / sum(times_charged(rule, size) for size in atoms)
    return utility([m * 2 / each**2 for m in summed]), (BUDGET / queries) ** 2


@given(rule=rules, atoms=groupings, data=st.data())
def test_above_the_bound_grouping_is_better(rule, atoms, data):
    """Whatever is asked of each group."""
    summed = [data.draw(st.integers(1, size)) for size in atoms]
    queries = math.floor(theorem_3(rule, atoms)) + data.draw(st.integers(1, 10**6))

    grouped, benchmark = utilities(rule, atoms, queries, summed)

    assert grouped > benchmark


@given(rule=rules, size=st.integers(4, 10**4), count=st.integers(1, 20))
def test_below_the_bound_the_worst_case_is_not(rule, size, count):
    """The bound is tight where all groups are equal and all atoms are summed."""
    queries = math.ceil(theorem_3(rule, [size] * count)) - 1

    grouped, benchmark = utilities(rule, [size] * count, queries, [size] * count)

    assert grouped < benchmark


@pytest.mark.parametrize(("rule", "bound"), [(PAPER, 63.2), (PARALLEL, 6.32)])
def test_two_variables_of_ten_categories(rule, bound):
    """The paper's example: 63 queries are enough where one algebra needs 1000."""
    assert theorem_3(rule, [10, 10]) == pytest.approx(bound, rel=1e-3)


@given(rule=rules, size=st.integers(1, 10**6))
def test_one_group_is_theorem_2(rule, size):
    """Grouping into one changes nothing."""
    assert theorem_3(rule, [size]) == theorem_2(rule, size)


def test_no_group_has_no_bound():
    """A grouping has at least one algebra."""
    with pytest.raises(ValueError, match="at least one"):
        theorem_3(PAPER, [])
