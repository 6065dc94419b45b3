"""Algorithms: rows land on their atoms, atoms add up to answers, nothing rounds."""

import numpy as np
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import NotInAlgebra
from sigmacount.language import parse
from sigmacount.release import perturb, simplex, tally
from sigmacount.release.algorithms import totals
from sigmacount.sets import Algebra
from tests.fixtures.drawn import Drawn

SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.categorical("town", ["A", "B", "C"]),
    ),
)
FULL = Algebra.full(SCHEMA, (0, 1))


def test_rows_are_counted_in_their_atoms():
    """Without counts every entry is one row."""
    codes = np.array([0, 0, 5, 3])

    assert tally(FULL, codes).tolist() == [2, 0, 0, 1, 0, 1]


def test_counts_of_cells_are_added():
    """Two cells of one atom add up."""
    by_sex = Algebra.full(SCHEMA, (0,))

    counts = tally(by_sex, np.array([0, 2, 4]), np.array([10, 5, 7]))

    assert counts.tolist() == [15, 7]


def test_levels_do_as_well_as_codes():
    """The curator keeps columns; the answer is the same."""
    codes, counts = np.array([4, 1, 1]), np.array([3, 2, 6])

    by_levels = tally(FULL, SCHEMA.levels_of(codes), counts)

    assert by_levels.tolist() == tally(FULL, codes, counts).tolist()


def test_an_empty_table_counts_nobody_in_every_atom():
    """Ω is declared: empty atoms are atoms."""
    assert tally(FULL, np.empty(0, np.int64)).tolist() == [0] * 6


def test_counts_beyond_what_floats_hold_are_exact():
    """2⁵³ + 1 is not a float."""
    counts = tally(FULL, np.array([0, 0]), np.array([2**53, 1]))

    assert counts.tolist()[0] == 2**53 + 1


def test_perturb_is_equation_5():
    """(N(ω) + ζ)⁺, one draw for each atom in order."""
    counts = perturb(np.array([5, 1, 0]), Drawn([-2, -3, 4]))

    assert counts.tolist() == [3, 0, 4]


def test_perturb_takes_another_rule_of_post_processing():
    """Simplex keeps the noisy total."""
    counts = perturb(np.array([5, 1, 0]), Drawn([-2, -3, 4]), simplex)

    assert counts.sum() == 5


def test_totals_are_sums_of_atoms():
    """Equation 4."""
    queries = [parse(SCHEMA, text) for text in ("", "sex = 'F'", "town <> 'B'")]

    answers = totals(FULL, np.array([1, 2, 4, 8, 16, 32]), queries)

    assert answers.tolist() == [63, 7, 1 + 4 + 8 + 32]


def test_a_query_outside_the_algebra_has_no_total():
    """The caller takes Algorithm 1."""
    by_sex = Algebra.full(SCHEMA, (0,))

    with pytest.raises(NotInAlgebra):
        totals(by_sex, np.array([1, 2]), [parse(SCHEMA, "town = 'A'")])
