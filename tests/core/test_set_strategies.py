"""Integer strategies of attributes and of sets: what they measure, tell and cost."""

from __future__ import annotations

import base64
import zlib
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.contrasts import (
    IsotropicStrategy,
    ProductStrategy,
    WeightedStrategy,
    edge,
    orthonormal,
)
from sigmacount.contrasts.strategies.kinds import strategy_of
from sigmacount.contrasts.strategies.packed import packed, unpacked

SHAPES = [(3,), (2, 3), (4, 2, 3), (3, 5)]


def kronecker(matrices):
    """The product of all these as one matrix."""
    return reduce(np.kron, matrices, np.ones((1, 1), np.int64))


def zero_sums(rng, size, rows, most=40):
    """Integers of full rank whose rows add up to zero."""
    free = rng.integers(-most, most + 1, size=(rows, size - 1))
    free[: size - 1] += 4 * most * np.eye(size - 1, dtype=np.int64)
    return np.column_stack([free, -free.sum(1)])


def product(shape, seed=0, more=1):
    """A product of such matrices."""
    rng = np.random.default_rng(seed)
    return ProductStrategy(tuple(zero_sums(rng, b, b - 1 + more) for b in shape))


def weighted(shape, seed=0):
    """Weights about a diagonal."""
    rows = IsotropicStrategy(shape).rows
    rng = np.random.default_rng(seed)
    weights = rng.integers(-30, 31, size=(rows, rows))
    return WeightedStrategy(shape, weights + 90 * np.eye(rows, dtype=np.int64))


def dense(strategy):
    """A as Python's own integers: rows × cells."""
    if isinstance(strategy, WeightedStrategy):
        frames = kronecker([edge(b) for b in strategy.shape]).astype(object)
        return strategy.weights.astype(object) @ frames
    return kronecker([factor.astype(object) for factor in strategy.factors])


STRATEGIES = [make(shape) for make in (product, weighted) for shape in SHAPES]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_measures_what_its_whole_matrix_measures(strategy):
    """Exactly; and nothing of any other attribute set, as every axis adds up to 0."""
    whole = dense(strategy)
    tables = np.random.default_rng(2).integers(10**9, size=(3, *strategy.shape))

    measured = strategy.measured(tables)

    assert measured.dtype == np.int64
    assert measured.shape == (3, strategy.rows)
    assert (measured == tables.reshape(3, -1).astype(object) @ whole.T).all()
    cells = whole.reshape(-1, *strategy.shape)
    assert all(not cells.sum(axis=1 + k).any() for k in range(len(strategy.shape)))


@settings(deadline=None, max_examples=60)
@given(
    shape=st.lists(st.integers(2, 5), min_size=1, max_size=3).map(tuple),
    seed=st.integers(0, 2**32 - 1),
    make=st.sampled_from([product, weighted]),
)
def test_the_sensitivity_is_the_largest_column_of_the_whole_matrix(shape, seed, make):
    """Δ² to the last unit, in integers that cannot overflow; it decides the price."""
    strategy = make(shape, seed)

    norms = (dense(strategy) ** 2).sum(0)

    assert strategy.squared_sensitivity == max(norms)
    assert strategy.largest == np.abs(dense(strategy)).max()


def test_the_sensitivity_stays_exact_where_floats_would_not():
    """The largest factors: 255^8 · rows^4 is beyond 2^53."""
    strategy = ProductStrategy((255 * edge(2),) * 8)

    assert strategy.squared_sensitivity == 255**16
    assert strategy.largest == 255**8


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_estimates_are_unbiased_and_as_certain_as_is_told(strategy):
    """Without noise the coefficients themselves; of noise of variance 1, Σ."""
    tables = np.random.default_rng(3).integers(1_000, size=(3, *strategy.shape))
    basis = kronecker([orthonormal(b) for b in strategy.shape])

    found = strategy.estimates(strategy.measured(tables).astype(float))

    back = strategy.estimates(np.eye(strategy.rows)).T
    assert np.allclose(found, tables.reshape(3, -1) @ basis.T)
    assert np.allclose(back @ back.T, strategy.unit_covariance.matrix())
    inner = dense(strategy).astype(float) @ basis.T / basis.shape[1]
    least = np.linalg.inv(inner.T @ inner)  # no linear unbiased estimate has less
    assert np.allclose(least, strategy.unit_covariance.matrix())


def test_isotropic_factors_are_the_isotropic_strategy():
    """And so are weights that weigh nothing."""
    shape = (3, 2, 4)
    flat = IsotropicStrategy(shape)
    rows = np.eye(flat.rows, dtype=np.int64)

    for same in (
        ProductStrategy(tuple(edge(b) for b in shape)),
        WeightedStrategy(shape, rows),
    ):
        assert same.squared_sensitivity == flat.squared_sensitivity
        assert same.largest == flat.largest
        assert np.allclose(same.unit_covariance.matrix(), flat.unit_covariance.matrix())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_survives_the_wire(strategy):
    """It is the same value, with the same key."""
    found = strategy_of(strategy.kind, strategy.shape, strategy.to_wire())

    assert found == strategy
    assert hash(found) == hash(strategy)
    assert found.key == strategy.key
    assert found != IsotropicStrategy(strategy.shape)


def test_an_isotropic_factor_is_not_sent():
    """The blocks say it."""
    strategy = ProductStrategy((edge(3), product((4,)).factors[0]))

    assert strategy.to_wire()["factors"][0] is None
    assert strategy_of("product", (3, 4), strategy.to_wire()) == strategy


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("isotropic", {"factors": []}),
        ("product", {}),
        ("product", {"factors": "abc"}),
        ("product", {"factors": [None, None]}),
        ("product", {"factors": [{"rows": 0, "data": ""}]}),
        ("product", {"factors": [packed(np.array([[2, -1, 0], [0, 1, -1]]), 2)]}),
        ("product", {"factors": [packed(np.array([[1, 0, -1]]), 2)]}),
        ("weighted", []),
        ("weighted", {"weights": None}),
        ("weighted", {"weights": packed(np.zeros((3, 3), np.int64), 1)}),
        ("weighted", {"weights": packed(np.full((3, 3), -(2**7)), 1)}),
        ("weighted", {"weights": packed(np.ones((1_025, 3), np.int64), 1)}),
        ("weighted", {"weights": packed(np.eye(4, dtype=np.int64), 1)}),
        ("triangular", {}),
    ],
)
def test_what_is_no_strategy_is_refused(kind, form):
    """Whoever reads the message says that it is malformed."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        strategy_of(kind, (3,), form)


@pytest.mark.parametrize("shape", [(), (515,), (6, 6, 6, 6), (3,) * 7])
def test_large_sets_are_not_weighted(shape):
    """Their weights or covariances would be large dense matrices."""
    with pytest.raises(ValueError, match="small"):
        WeightedStrategy(shape, np.eye(3, dtype=np.int64))


def test_weights_are_a_matrix_for_the_rows_of_the_set():
    """Nothing else is measured with them."""
    with pytest.raises(ValueError, match="isotropic"):
        WeightedStrategy((3, 3), np.eye(3, dtype=np.int64))


def test_a_packed_matrix_of_any_size_is_not_made():
    """However small the word for its zeros is."""
    with pytest.raises(ValueError, match="at most"):
        unpacked(packed(np.zeros((1_025, 1_024)), 1), 1, 1_024)


@given(
    rows=st.integers(1, 6),
    columns=st.integers(1, 6),
    width=st.sampled_from([1, 2]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_packed_matrix_is_unpacked_as_it_was(rows, columns, width, seed):
    """Every entry; and what is read is read-only."""
    most = 2 ** (8 * width - 1)
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-most, most, size=(rows, columns))

    found = unpacked(packed(matrix, width), width, columns)

    assert found.dtype == np.int64
    assert (found == matrix).all()
    assert not found.flags.writeable


def test_an_entry_that_is_too_large_is_not_cut_off():
    """A strategy of other integers would be measured than was priced."""
    with pytest.raises(ValueError, match="does not fit"):
        packed(np.array([[2**7]]), 1)


@pytest.mark.parametrize(
    "form",
    [
        {"rows": True, "data": "eA=="},
        {"rows": 1, "data": 5},
        {"rows": 2**20, "data": ""},
        {"rows": 1, "data": "not base64!"},
        {"rows": 1, "data": "eA=="},
        {"rows": 1, "data": "YWJjZGVm"},
        {"rows": 2, "data": packed(np.ones((1, 3)), 1)["data"]},
        {"rows": 1, "data": packed(np.zeros((1_000, 1_000)), 1)["data"]},
        {"rows": 1, "data": base64.b64encode(zlib.compress(b"abc") + b"d").decode()},
    ],
)
def test_a_packed_matrix_has_just_what_it_says(form):
    """A long stream of zeros is left alone after the first byte too many."""
    with pytest.raises(ValueError, match=r".+"):
        unpacked(form, 1, 3)
