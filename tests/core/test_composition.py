"""Composition rules: the same atoms, priced tightly or as the paper prices them."""

import pytest

from sigmacount.accounting import PAPER, PARALLEL, cost_of_algebra, cost_of_groups
from sigmacount.accounting.composition import cost_of_replacing
from sigmacount.mechanisms import Amount, Measure


def test_disjoint_atoms_cost_as_much_as_one():
    """One row sits in one atom."""
    assert cost_of_algebra(PARALLEL, 1_000, Amount.zcdp(7)) == Amount.zcdp(7)


def test_the_paper_adds_atoms_up():
    """Equation 8: |Ω| ε′."""
    assert cost_of_algebra(PAPER, 1_000, Amount.pure(7)) == Amount.pure(7_000)


@pytest.mark.parametrize(
    ("rule", "cost"), [("parallel", 3 + 5), ("paper", 10 * 3 + 4 * 5)]
)
def test_costs_of_algebras_add_up(rule, cost):
    """They count the same rows, under either rule."""
    groups = [(10, Amount.pure(3)), (4, Amount.pure(5))]

    assert cost_of_groups(rule, groups) == Amount.pure(cost)


@pytest.mark.parametrize(("rule", "cost"), [("parallel", 5 + 7), ("paper", 50 + 28)])
def test_each_algebra_is_charged_in_the_measure_of_the_ledger(rule, cost):
    """3 µε count as 5 pico-ρ and join 7 of them; the paper's rule adds atoms up."""
    groups = [(10, Amount.pure(3)), (4, Amount.zcdp(7))]

    assert cost_of_groups(rule, groups, Measure.RHO) == Amount.zcdp(cost)


@pytest.mark.parametrize("measure", Measure)
def test_no_algebra_costs_nothing_in_either_measure(measure):
    """A plan that carries every group over."""
    assert cost_of_groups("parallel", [], measure) == Amount(measure, 0)


def test_replacing_a_row_is_a_removal_and_an_addition():
    """Twice the ε."""
    assert cost_of_replacing(Amount.pure(11)) == Amount.pure(22)


def test_two_rows_have_four_times_the_rho():
    """ε of a group grows with its size, ρ with the square: (2ε)²/2 is 4 · ε²/2."""
    assert cost_of_replacing(Amount.zcdp(11)) == Amount.zcdp(44)


@pytest.mark.parametrize(
    ("rule", "atoms", "micro"), [("magic", 1, 1), ("paper", 0, 1), ("paper", 1, 0)]
)
def test_nonsense_is_refused(rule, atoms, micro):
    """Unknown rules and empty figures are a fault of the configuration."""
    with pytest.raises(ValueError, match=r"magic|at least 1"):
        cost_of_algebra(rule, atoms, Amount.pure(micro))
