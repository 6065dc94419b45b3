"""Theorem 4: with a share p of fresh queries, the bound of Theorem 3 over (1 − p).

The last test computes the paper's tables of utility from the formulas of its proof.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import PAPER, PARALLEL, times_charged
from sigmacount.planner import theorem_3
from sigmacount.planner.theorems import mean_error, theorem_4, utility

BUDGET = 1.0
rules = st.sampled_from([PAPER, PARALLEL])
groupings = st.lists(st.integers(1, 10**4), min_size=1, max_size=20)
shares = st.floats(0, 0.99)


def utilities(rule, atoms, queries, left_over):
    """Both at one budget, every group asked for all its atoms: the proof's worst case.

    Fresh queries get ε = B/Q each, as in the benchmark; the groups share the rest.
    """
    epsilon = BUDGET / queries
    rest = (1 - left_over) * BUDGET
    each = rest / sum(times_charged(rule, size) for size in atoms)
    worst = max(atoms) * 2 / each**2
    fresh = 2 / epsilon**2
    return utility([worst, fresh], [1 - left_over, left_over]), epsilon**2


@given(rule=rules, atoms=groupings, left_over=shares, more=st.floats(1.001, 1000))
def test_above_the_bound_the_online_algorithm_is_better(rule, atoms, left_over, more):
    """The groups do better, and fresh queries no worse."""
    queries = theorem_4(rule, atoms, left_over) * more

    online, benchmark = utilities(rule, atoms, queries, left_over)

    assert online > benchmark


@given(rule=rules, atoms=groupings, left_over=shares, less=st.floats(0.001, 0.999))
def test_below_the_bound_the_worst_case_is_not(rule, atoms, left_over, less):
    """The bound is tight."""
    queries = theorem_4(rule, atoms, left_over) * less

    online, benchmark = utilities(rule, atoms, queries, left_over)

    assert online < benchmark


@given(rule=rules, atoms=groupings)
def test_nothing_left_over_is_theorem_3(rule, atoms):
    """Every query is in a group."""
    assert theorem_4(rule, atoms, 0) == theorem_3(rule, atoms)


@pytest.mark.parametrize("left_over", [1, 1.5, -0.1])
def test_a_share_outside_its_range_is_refused(left_over):
    """With everything left over there is no bound."""
    with pytest.raises(ValueError, match="share of fresh"):
        theorem_4(PAPER, [4], left_over)


@pytest.mark.parametrize(
    ("columns", "queries", "derived"),
    [
        (10, 10**5, {3: 75.5, 2: 14.25, 1: 3.79}),
        (10, 10**6, {3: 78.1, 2: 14.25, 1: 3.79}),
        (21, 10**5, {3: 5.16, 2: 2.84, 1: 1.57}),
        (21, 10**6, {3: 6.56, 2: 2.84, 1: 1.57}),
    ],
)
def test_the_tables_of_utility_follow(columns, queries, derived):
    """Clusters are all sets of u columns; j active columns sum 2^(u−j) of 2^u atoms."""
    for size, ratio in derived.items():
        chance = [
            math.comb(columns, j) * 0.1**j * 0.9 ** (columns - j)
            for j in range(size + 1)
        ]
        fresh = 2 / (BUDGET / queries) ** 2
        paid = times_charged(PAPER, 2**size) * math.comb(columns, size)
        each = sum(chance) * BUDGET / paid
        inside = [2 ** (size - j) * 2 / each**2 for j in range(size + 1)]

        error = mean_error([*inside, fresh], [*chance, 1 - sum(chance)])

        assert fresh / error == pytest.approx(ratio, rel=5e-3)
