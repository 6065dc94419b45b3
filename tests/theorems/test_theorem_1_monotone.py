"""Theorem 1: A₁ ⊆ A₂ implies N̂(A₁) ≤ N̂(A₂), whatever the noise drew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import with_noise
from sigmacount.domain import Attribute, Schema
from sigmacount.release import clamp, perturb, simplex
from sigmacount.release.algorithms import totals
from sigmacount.sets import Algebra, Query
from tests.fixtures.drawn import Drawn

atoms = st.tuples(st.integers(0, 50), st.integers(-60, 60))  # N(ω), ζ
SCHEMA = Schema(
    "small",
    (
        Attribute.categorical("a", ["x", "y", "z"]),
        Attribute.categorical("b", ["x", "y"]),
    ),
)


@pytest.mark.parametrize("postprocess", [clamp, simplex])
@given(atoms=st.lists(atoms, min_size=1, max_size=12))
def test_counts_never_fall_along_a_chain(postprocess, atoms):
    """∅ ⊂ {ω₁} ⊂ {ω₁, ω₂} ⊂ … ⊂ Ω: adding an atom never lowers the answer.

    The chain passes every atom, so a single negative one fails the example.
    """
    truth, noise = np.array(atoms).T

    counts = perturb(truth, Drawn(noise), postprocess)

    answers = np.concatenate(([0], counts.cumsum()))  # equation 4 along the chain
    assert (np.diff(answers) >= 0).all()


@pytest.mark.parametrize("postprocess", [clamp, simplex])
@given(
    atoms=st.lists(atoms, min_size=6, max_size=6),
    inner=st.lists(st.booleans(), min_size=6, max_size=6),
    outer=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_a_part_is_never_answered_with_more_than_the_whole(
    postprocess, atoms, inner, outer
):
    """The same with queries: A ∩ B ⊆ B, for any two sets of cells."""
    truth, noise = np.array(atoms).T
    part, whole = of_cells(inner).intersection(of_cells(outer)), of_cells(outer)

    released = perturb(truth, Drawn(noise), postprocess)

    algebra = Algebra.full(SCHEMA, (0, 1))
    smaller, larger = totals(algebra, released, [part, whole])
    assert smaller <= larger


@pytest.mark.parametrize("postprocess", [clamp, simplex])
@given(
    atoms=st.lists(atoms, min_size=1, max_size=8),
    later=st.lists(st.integers(0, 50), min_size=8, max_size=8),
)
def test_it_holds_at_every_epoch(postprocess, atoms, later):
    """Rows may come and go: deltas join the noisy count before post-processing.

    Added to the clamped count, as printed in Algorithm 5, they could turn negative.
    """
    _, noise = np.array(atoms).T

    shown = postprocess(with_noise(np.array(later[: len(atoms)]), noise))

    assert (shown >= 0).all()


def of_cells(inside):
    """The query of the cells that are marked, in C order."""
    blocks = (np.arange(3), np.arange(2))
    return Query.build(SCHEMA, (0, 1), blocks, np.array(inside).reshape(3, 2))
