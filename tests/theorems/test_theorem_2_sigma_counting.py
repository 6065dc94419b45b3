"""Theorem 2: one algebra beats the benchmark for Q above |Ω|^{3/2} (paper's charge).

Under the tight charge, ε′ for the whole algebra, Q above |Ω|^{1/2} is enough.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import PAPER, PARALLEL, times_charged
from sigmacount.planner.theorems import theorem_2, utility

BUDGET = 1.0
rules = st.sampled_from([PAPER, PARALLEL])


def utilities(rule, atoms, queries, summed):
    """Definition 4 for both algorithms at one budget; each answer sums ``summed``."""
    benchmark = utility([2 / (BUDGET / queries) ** 2])
    each = BUDGET / times_charged(rule, atoms)
    return utility([summed * 2 / each**2]), benchmark


@given(rule=rules, atoms=st.integers(1, 10**6), data=st.data())
def test_above_the_bound_sigma_counting_is_better(rule, atoms, data):
    """Whatever the queries sum: the bound takes M(A) = |Ω|, its worst case."""
    summed = data.draw(st.integers(1, atoms))
    queries = math.floor(theorem_2(rule, atoms)) + data.draw(st.integers(1, 10**6))

    sigma, benchmark = utilities(rule, atoms, queries, summed)

    assert sigma > benchmark


@given(rule=rules, atoms=st.integers(4, 10**6))
def test_below_the_bound_the_worst_case_is_not(rule, atoms):
    """The bound is tight: with one query less, sums of all atoms err more."""
    queries = math.ceil(theorem_2(rule, atoms)) - 1

    sigma, benchmark = utilities(rule, atoms, queries, atoms)

    assert sigma < benchmark


@pytest.mark.parametrize(("rule", "bound"), [(PAPER, 1000), (PARALLEL, 10)])
def test_a_hundred_atoms(rule, bound):
    """The example after Theorem 3: 100^{3/2}, and √100."""
    assert theorem_2(rule, 100) == pytest.approx(bound)


def test_the_empty_algebra_has_no_bound():
    """Ω always holds at least one atom."""
    with pytest.raises(ValueError, match="at least 1"):
        theorem_2(PAPER, 0)
