"""Post-processing: non-negative whole counts, and simplex keeps the total."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sigmacount.release import POSTPROCESS, clamp, common_total, simplex

values = arrays(np.int64, st.integers(1, 25), elements=st.integers(-40, 60))
large = arrays(
    np.int64, st.integers(1, 25), elements=st.integers(-(2**53), 2**53) | st.just(0)
)


def projection(values, total):
    """The real projection onto {x ≥ 0, Σx = total}, by the textbook's sort."""
    ordered = np.sort(values)[::-1].astype(float)
    rises = (np.cumsum(ordered) - total) / np.arange(1, len(values) + 1)
    return np.maximum(values - rises[np.flatnonzero(ordered > rises)[-1]], 0)


def test_both_rules_have_a_name():
    """The configuration speaks of them by it."""
    assert dict(POSTPROCESS) == {"clamp": clamp, "simplex": simplex}


@pytest.mark.parametrize("rule", [clamp, simplex])
@given(values=values | large)
def test_counts_are_whole_and_not_negative(rule, values):
    """int64 in, int64 ≥ 0 out, and the input is left alone."""
    before = values.copy()

    counts = rule(values)

    assert counts.dtype == np.int64
    assert counts.shape == values.shape
    assert (counts >= 0).all()
    assert (values == before).all()


@given(values)
def test_clamp_is_the_positive_part(values):
    """Equation 5."""
    assert clamp(values).tolist() == [max(0, v) for v in values.tolist()]


@given(values | large)
def test_simplex_keeps_the_total_exactly(values):
    """As Python's own integers add it up, beyond 2⁵³ too."""
    total = sum(values.tolist())

    assert sum(simplex(values).tolist()) == max(0, total)


@given(values.filter(lambda v: v.sum() > 0))
def test_simplex_is_the_projection_to_less_than_one_row(values):
    """Rounding moves no atom by a whole row."""
    assert (np.abs(simplex(values) - projection(values, values.sum())) < 1 + 1e-9).all()


@given(values.filter(lambda v: (v >= 0).all()))
def test_simplex_leaves_good_counts_alone(values):
    """A point of the simplex is its own projection."""
    assert (simplex(values) == values).all()


@given(values)
def test_simplex_keeps_the_order_of_atoms_to_one_row(values):
    """Of two atoms the noisier larger one stays larger, or they differ by rounding."""
    order = np.argsort(values, kind="stable")

    assert (np.diff(simplex(values)[order]) >= -1).all()


def test_a_negative_total_is_shown_as_nobody():
    """Σx = max(0, Σv)."""
    assert simplex(np.array([5, -9])).tolist() == [0, 0]


def test_ties_do_not_favour_low_indices():
    """Half of 200 000 equal atoms are rounded up: half of the first half as well."""
    values = np.full(200_001, 10)
    values[-1] = -100_000  # τ = ½

    up = simplex(values)[:-1] == 10

    assert up.sum() == 100_000
    assert abs(up[:100_000].mean() - 0.5) < 0.01


@pytest.mark.parametrize("stride", [2, 3, 5, 7, 8, 34, 64, 2584])
def test_rounding_has_no_pattern_that_a_query_could_meet(stride):
    """Half of all atoms are rounded up; of every stride-th it is a half as well."""
    values = np.full(200_001, 10)
    values[-1] = -100_000  # τ = ½

    up = simplex(values)[:-1:stride] == 10

    assert abs(up.mean() - 0.5) < 4 * 0.5 / np.sqrt(up.size)


def test_the_same_values_are_rounded_the_same_way():
    """A release repeated after a crash is the same release."""
    values = np.array([7, -3, 7, 7, -1, 7])

    assert (simplex(values) == simplex(values.copy())).all()


def test_totals_beyond_int64_are_refused():
    """Rather than wrapped around."""
    with pytest.raises(OverflowError, match="2\\^62"):
        simplex(np.full(4, 2**60))


def test_the_largest_tables_are_not():
    """2⁵³ rows and as much noise fit."""
    counts = simplex(np.array([2**53, 2**53, -(2**53), 1]))

    assert sum(counts.tolist()) == 2**53 + 1


@given(values, st.integers(-5, 3_000))
def test_simplex_takes_a_total_from_elsewhere(values, total):
    """More than its own, or less: nearest all the same, whole, and of that total."""
    counts = simplex(values, total)

    assert counts.sum() == max(0, total)
    assert (counts >= 0).all()
    if total > 0:
        assert (np.abs(counts - projection(values, total)) < 1 + 1e-9).all()


@given(values, st.integers(0, 99))
def test_clamp_keeps_no_total(values, total):
    """The paper's rule knows none."""
    assert clamp(values, total).tolist() == clamp(values).tolist()


def test_a_common_total_leans_towards_the_precise():
    """Weights are 1/variance; without algebras nobody knows."""
    assert common_total([(100, 1.0), (40, 3.0)]) == 85
    assert common_total([(7, 2.5)]) == 7
    assert common_total([(9, 0.0), (400, 2.0)]) == 9  # no noise: the total is known
    assert common_total([]) is None
