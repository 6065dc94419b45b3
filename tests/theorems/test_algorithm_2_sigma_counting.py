"""Algorithm 2: one draw for each atom that the queries induce; answers are sums."""

import pytest

from sigmacount.release import clamp, simplex
from sigmacount.release.algorithms import sigma_counting
from sigmacount.sets import Algebra
from tests.fixtures.drawn import Drawn
from tests.theorems.people import CODES, COUNTS, SCHEMA, queries, true_counts

ASKED = queries("sex = 'F'", "age >= 40", "sex = 'F' AND age >= 40", "age < 40")
ATOMS = 4  # two sexes, two ages; towns tell nothing apart


@pytest.mark.parametrize("postprocess", [clamp, simplex])
def test_without_noise_it_is_the_true_count(postprocess):
    """Sums of whole atoms lose nobody."""
    answers = sigma_counting(ASKED, CODES, COUNTS, Drawn([0] * ATOMS), postprocess)

    assert answers.tolist() == true_counts(ASKED)


def test_it_draws_once_for_each_atom_of_the_smallest_algebra():
    """|Ω| draws however many queries there are."""
    noise = Drawn(range(ATOMS + 1))

    sigma_counting(ASKED * 10, CODES, COUNTS, noise)

    assert Algebra.induced_by(SCHEMA, ASKED).size == ATOMS
    assert noise.values.tolist() == [ATOMS]


def test_equal_atoms_share_their_noise():
    """Everyone over and under 40 add up to everyone, exactly: answers are additive."""
    asked = [*ASKED, *queries("")]

    over, under, everyone = sigma_counting(
        asked, CODES, COUNTS, Drawn([50, -20, 7, -9])
    )[[1, 3, 4]]

    assert over + under == everyone


def test_no_atom_is_negative():
    """Equation 5, even when noise outweighs every row."""
    answers = sigma_counting(ASKED, CODES, COUNTS, Drawn([-(10**6)] * ATOMS))

    assert answers.tolist() == [0] * len(ASKED)
