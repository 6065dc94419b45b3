"""Axes: contrasts of one attribute, and matrices applied to tables axis by axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from sigmacount.sets import frozen

EntryT = TypeVar("EntryT", np.int64, np.float64)
MOST_SIZES: Final = 256  # remembered; a schema's attributes differ in few sizes


@lru_cache(maxsize=MOST_SIZES)
def orthonormal(size: int) -> NDArray[np.float64]:
    """φ: an orthonormal basis of the contrasts of an attribute, under its uniform law.

    Helmert's: row k compares the first k + 1 blocks with the next one. Every row adds
    up to zero, φφᵀ = b·I and φᵀφ = b·I − J. Of square roots and divisions alone, so
    any two machines make the same.

    Shapes: float64 (b − 1, b) for ``size`` b, read-only.
    """
    basis = np.zeros((size - 1, size))
    for k in range(1, size):
        basis[k - 1, :k] = 1.0
        basis[k - 1, k] = -k
        basis[k - 1] *= np.sqrt(size / (k * (k + 1)))
    return frozen(basis)


@lru_cache(maxsize=MOST_SIZES)
def averaging(size: int) -> NDArray[np.float64]:
    """[mean; φ/b]: a function on b blocks → its mean, and its b − 1 coefficients.

    Shapes: float64 (b, b) for ``size`` b, read-only.
    """
    mean = np.full((1, size), 1 / size)
    return frozen(np.concatenate([mean, orthonormal(size) / size]))


@lru_cache(maxsize=MOST_SIZES)
def edge(size: int) -> NDArray[np.int64]:
    """E: the integer contrasts of b blocks, b·I − J; of two blocks [1 −1].

    A tight frame: EᵀE is a multiple of I − J/b, so noise on its rows is isotropic.

    Shapes: int64 (b, b), or (1, 2), read-only.
    """
    if size == 2:  # noqa: PLR2004 - two rows would say the same thing twice
        return frozen(np.array([[1, -1]], np.int64))
    return frozen(size * np.eye(size, dtype=np.int64) - 1)


def along(
    tables: NDArray[EntryT], matrices: Sequence[NDArray[EntryT]]
) -> NDArray[EntryT]:
    """Tables (…, b_1, …, b_k) → (…, r_1, …, r_k): matrix i (r_i, b_i) on its axis.

    The Kronecker product of the matrices, which is never made. Integers stay integers.
    What an axis becomes is put behind the others; when all have had their turn they
    stand in order again, and nothing was moved.
    """
    many: tuple[int, ...] = tables.shape[: tables.ndim - len(matrices)]
    turned = tables.reshape(math.prod(many), -1).T
    for matrix in matrices:
        turned = turned.reshape(matrix.shape[1], -1).T @ matrix.T
    return turned.reshape((*many, *(len(matrix) for matrix in matrices)))
