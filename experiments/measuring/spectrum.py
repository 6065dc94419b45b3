"""Spectrum: the sums of all questions on a table of bits, thousands of shapes at once.

``Sums`` adds a table up once for each shape. Tens of thousands of shapes on 2^21 atoms
take less when the table is brought to its Walsh-Hadamard spectrum, of which the 2^j
sums of a shape need 2^j entries. Whole numbers below 2^53 throughout: nothing is
rounded, and the sums are those of ``Sums`` to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

CHUNK = 7  # bits a step: products of matrices of 128 by 128


def spectrum(
    values: NDArray[np.int64] | NDArray[np.float64],
) -> NDArray[np.float64]:
    """F(T) = Σ_x (−1)^{|T ∩ x|} values(x), for all sets T of the table's bits.

    Exact for whole numbers.

    Shapes: (2^m,) in, float64 (2^m,) out; bit 0 of an index is the last axis.
    """
    left = values.astype(np.float64)
    bits = values.size.bit_length() - 1
    while bits > 0:
        step = min(CHUNK, bits)
        left = (hadamard(step) @ left.reshape(2**step, -1)).T.ravel()
        bits -= step
    return left


@cache
def hadamard(bits: int) -> NDArray[np.float64]:
    """(−1)^{|T ∩ x|}: float64 (2^bits, 2^bits)."""
    one = np.array([[1.0, 1.0], [1.0, -1.0]])
    whole = np.ones((1, 1))
    for _ in range(bits):
        whole = np.kron(whole, one)
    whole.setflags(write=False)
    return whole


def sums(
    spectrum: NDArray[np.float64],
    attributes: Sequence[int],
    active: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Σ of the atoms of every value of every shape.

    Shapes:
        attributes  of the table, ascending: its axes
        active      intp (n, j)        columns of each shape, all of the table
        result      float64 (n, 2^j)   whole numbers, in C order
    """
    number = active.shape[1]
    axis = np.searchsorted(np.asarray(attributes, np.intp), active)
    place = 1 << (len(attributes) - 1 - axis)
    chosen = np.arange(2**number)[:, None] >> np.arange(number)[::-1] & 1
    entries = spectrum[place @ chosen.T]
    added: NDArray[np.float64] = (entries @ hadamard(number)) / 2**number
    return added


def looked_up(
    table: NDArray[np.float64], wanted: NDArray[np.int8]
) -> NDArray[np.float64]:
    """The sum of every question, float64 (Q,), from the spectrum of a table of bits."""
    columns, found = wanted.shape[1], np.empty(len(wanted))
    number = (wanted < 2).sum(axis=1)
    for j in range(int(number.max()) + 1):
        some = np.flatnonzero(number == j)
        active = np.nonzero(wanted[some] < 2)[1].reshape(len(some), j)
        bits = np.take_along_axis(wanted[some], active, axis=1).astype(np.int64)
        value = bits @ (1 << np.arange(j, dtype=np.int64)[::-1])
        every = sums(table, range(columns), active)
        found[some] = every[np.arange(len(some)), value]
    return found
