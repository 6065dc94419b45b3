"""Contrasts of attributes: bases, integers, covariances, axis by axis."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from sigmacount.contrasts import (
    DenseCovariance,
    IsotropicCovariance,
    IsotropicStrategy,
    ProductCovariance,
    along,
    averaging,
    combined,
    edge,
    orthonormal,
)

SHAPES = [(), (2,), (3,), (2, 2), (2, 3), (3, 4, 2), (5, 3)]


def kronecker(matrices):
    """The product of all these as one matrix."""
    return reduce(np.kron, matrices, np.ones((1, 1), np.int64))


@pytest.mark.parametrize("size", [2, 3, 7, 100])
def test_the_basis_is_orthonormal_under_the_uniform_law(size):
    """And its Gram matrix over the blocks is the integer frame."""
    basis = orthonormal(size)

    assert np.allclose(basis.sum(1), 0)
    assert np.allclose(basis @ basis.T, size * np.eye(size - 1))
    assert np.allclose(basis.T @ basis, size * np.eye(size) - 1)
    assert np.allclose(averaging(size)[0], 1 / size)


def test_the_basis_of_two_blocks_is_their_difference():
    """Exactly, so that it is measured as it is."""
    assert orthonormal(2).tolist() == [[1.0, -1.0]]
    assert edge(2).tolist() == [[1, -1]]


def test_matrices_along_axes_are_their_kronecker_product():
    """Leading axes are many tables at once."""
    rng = np.random.default_rng(1)
    tables = rng.integers(9, size=(4, 3, 2, 5))

    made = along(tables, [edge(3), edge(2), edge(5)])

    whole = kronecker([edge(3), edge(2), edge(5)])
    assert made.dtype == np.int64
    assert (made.reshape(4, -1) == tables.reshape(4, -1) @ whole.T).all()


def test_a_table_of_no_axes_stays_as_it_is():
    """That of everything: the total."""
    assert along(np.array(3.0), []).shape == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_isotropic_strategy_is_the_product_of_integer_frames(shape):
    """Measured axis by axis; every column has the norm that is charged."""
    strategy, whole = IsotropicStrategy(shape), kronecker([edge(b) for b in shape])
    tables = np.random.default_rng(2).integers(1_000, size=(3, *shape))

    measured = strategy.measured(tables)

    assert measured.dtype == np.int64
    assert (measured == tables.reshape(3, -1) @ whole.T).all()
    assert measured.shape[1] == strategy.rows
    assert {int(n) for n in (whole**2).sum(0)} == {strategy.squared_sensitivity}
    assert int(np.abs(whole).max()) == strategy.largest


@pytest.mark.parametrize("shape", SHAPES)
def test_estimates_without_noise_are_the_coefficients(shape):
    """And noise of variance 1 has the covariance that is told."""
    strategy = IsotropicStrategy(shape)
    tables = np.random.default_rng(3).integers(1_000, size=(3, *shape))
    basis = kronecker([orthonormal(b) for b in shape])

    found = strategy.estimates(strategy.measured(tables).astype(float))

    back = strategy.estimates(np.eye(strategy.rows)).T
    assert np.allclose(found, tables.reshape(3, -1) @ basis.T)
    assert np.allclose(back @ back.T, strategy.unit_covariance.matrix())


def test_strategies_over_the_same_blocks_are_one():
    """They are keys of what is measured together; the wire form adds nothing."""
    assert IsotropicStrategy((2, 3)) == IsotropicStrategy((2, 3))
    assert IsotropicStrategy((2, 3)).key == "isotropic"
    assert IsotropicStrategy((2, 3)).to_wire() == {}


ROOTS = (np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([[3.0]]))


@pytest.mark.parametrize(
    "covariance",
    [
        IsotropicCovariance(3.0, 4),
        ProductCovariance(0.5, ROOTS),
        DenseCovariance(np.array([[2.0, 1.0], [1.0, 3.0]])),
    ],
)
def test_a_covariance_is_its_matrix(covariance):
    """Quadratic form, scale and size agree with it."""
    vectors = np.random.default_rng(4).normal(size=(5, 6, covariance.size))
    matrix = covariance.matrix()

    found = covariance.quadratic(vectors)

    wanted = np.einsum("abi,ij,abj->ab", vectors, matrix, vectors)
    assert matrix.shape == (covariance.size, covariance.size)
    assert np.allclose(found, wanted)
    assert np.allclose(covariance.scaled(7).matrix(), 7 * matrix)


def test_precisions_of_independent_estimates_add_up():
    """Those that differ in scale alone keep their form."""
    flat, product = IsotropicCovariance(2.0, 2), ProductCovariance(0.5, ROOTS)
    dense = DenseCovariance(np.array([[2.0, 1.0], [1.0, 3.0]]))
    both = combined([flat, product])

    assert combined([flat, IsotropicCovariance(2.0, 2)]) == IsotropicCovariance(1, 2)
    assert np.allclose(
        np.linalg.inv(both.matrix()),
        np.linalg.inv(flat.matrix()) + np.linalg.inv(product.matrix()),
    )
    for each in (flat, product, dense):
        pooled = combined([each, each.scaled(0.5)])
        assert type(pooled) is type(each)
        assert np.allclose(pooled.matrix(), each.matrix() / 3)
    assert isinstance(combined([dense, DenseCovariance(np.eye(2))]), DenseCovariance)
