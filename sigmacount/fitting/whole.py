"""Whole tables: contrasts → tables of whole numbers that agree exactly.

The unit of the table over U is 1/(2^k · N_U) of a row. Adding such a table up over an
attribute of b blocks gives b times the table without it, entry by entry, so a query has
one value whichever table holds it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet, ContrastSet, Grid, along, orthonormal
from sigmacount.errors import CountsTooLarge, InvalidPlan
from sigmacount.fitting.coordinates import Coordinates, Sizes, coordinates_of, subsets
from sigmacount.fitting.uniform import in_uniform_law
from sigmacount.sets import frozen

LARGEST: Final = 2**62  # of a sum of counts: half of int64, so rounding has room
OF_NOISE: Final = Fraction(1, 5)  # of the noise's deviation: what rounding may take
FLOORS: Final = 4  # lowest cells of a fit, in worst roundings of a cell


def rounding(shape: Sizes, bits: int) -> Fraction:
    """τ_U (rows): how far a whole cell is from the fitted one at worst.

    Each residual is rounded by half a unit, and b·I − J makes it 2(b − 1) of them.
    """
    return Fraction(math.prod(2 * b - 1 for b in shape), 2) / unit(shape, bits)


def unit(shape: Sizes, bits: int) -> int:
    """2^k · N_U: how many units of a table over these blocks make a row."""
    return math.prod(shape) << bits


def bits_of(
    grid: Grid, tables: Iterable[AttributeSet], sd: float, rows_max: int
) -> int:
    """k: the least one whose rounding is small beside noise of deviation ``sd`` (rows).

    Raises:
        InvalidPlan: int64 does not hold ``rows_max`` rows in units as small as that;
            the caller plans fewer or smaller tables, or with a smaller budget.
    """
    shapes = {grid.shape(table) for table in tables}
    coarsest = max(FLOORS * math.prod(shape) * rounding(shape, 0) for shape in shapes)
    bits = max(0, math.ceil(coarsest / (OF_NOISE * Fraction(sd)) - 1).bit_length())
    if rows_max * max(unit(shape, bits) for shape in shapes) >= LARGEST:
        msg = (
            f"{rows_max:,} rows do not fit 64 bits in units as small as this plan's"
            " noise; lower rows_max, or take fewer attributes or wider blocks"
        )
        raise InvalidPlan(msg)
    return bits


def nearest(units: int, of: int) -> int:
    """The whole number of rows nearest to so many units, ``of`` of them a row.

    Halves go up: it never falls when ``units`` grows.
    """
    return (2 * units + of) // (2 * of)


def whole_tables(
    grid: Grid,
    tables: Sequence[AttributeSet],
    coefficients: Mapping[ContrastSet, NDArray[np.float64]],
    bits: int,
) -> dict[AttributeSet, NDArray[np.int64]]:
    """I_U for every table: int64 (N_U,) in C order, in units of 1/(2^k·N_U) rows.

    Of coefficients whose tables are at least ``rounding`` everywhere, as a fit's are,
    all are ≥ 0. A set without coefficients counts as zero. Whatever law the grid has,
    the tables are written by the uniform one of its blocks: only a representation.

    Raises:
        CountsTooLarge: the counts of a table do not fit; the caller releases none.
    """
    coordinates = coordinates_of(grid.flat, tuple(tables))
    contrasts = coordinates.vector(in_uniform_law(grid, tables, coefficients))
    _check_range(coordinates, contrasts, bits)
    residuals = _residuals(coordinates, contrasts, bits)
    found: dict[AttributeSet, NDArray[np.int64]] = {}
    for batch in coordinates.batches:
        added = np.zeros((len(batch.tables), *batch.shape), np.int64)
        for parts in zip(*(subsets(table) for table in batch.tables), strict=True):
            table, first = batch.tables[0], parts[0]
            seen = [
                b if i in first else 1 for i, b in zip(table, batch.shape, strict=True)
            ]
            stacked = np.stack([residuals[part] for part in parts])
            added += stacked.reshape(len(parts), *seen)
        rows = added.reshape(len(batch.tables), -1)
        found |= {t: frozen(row) for t, row in zip(batch.tables, rows, strict=True)}
    return {table: found[table] for table in coordinates.tables}


def _residuals(
    coordinates: Coordinates, contrasts: NDArray[np.float64], bits: int
) -> dict[AttributeSet, NDArray[np.int64]]:
    """S → int64 (Π b_i,): what S alone explains of its table; axes add up to 0."""
    found: dict[AttributeSet, NDArray[np.int64]] = {}
    for shape, _, sets, entries in coordinates.sets:
        values = contrasts[entries].reshape(len(sets), *(b - 1 for b in shape))
        rows = along(values, [orthonormal(b).T for b in shape]) / math.prod(shape)
        exact = np.rint(np.ldexp(rows, bits)).astype(np.int64)
        for axis, b in enumerate(shape, start=1):
            exact = b * exact - exact.sum(axis, keepdims=True)
        found |= zip(sets, exact.reshape(len(sets), -1), strict=True)
    return found


def _check_range(
    coordinates: Coordinates, contrasts: NDArray[np.float64], bits: int
) -> None:
    """All sums of a table's cells fit, so int64 adds them without a wrap.

    What wraps on the way there is harmless: integers modulo 2^64 are a ring.
    """
    units = np.abs(coordinates.cells(contrasts)) * np.ldexp(coordinates.volume, bits)
    for batch in coordinates.batches:
        sums = units[batch.entries].reshape(len(batch.tables), -1).sum(-1)
        if not (sums < LARGEST).all():  # not finite is too large as well
            raise CountsTooLarge(bits)
