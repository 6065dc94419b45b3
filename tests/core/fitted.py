"""One family of tables, noisy estimates of it, and its fit, for tests."""

import numpy as np

from sigmacount.contrasts import closure
from sigmacount.fitting import Fit, bits_of, whole_tables
from tests.core.families import contrasts_of, grid_of

GRID = grid_of(2, 6, 3, 2)
TABLES = ((0, 1), (1, 2), (0, 2, 3))
SETS = closure(TABLES)
NORM = {s: 1 / 4 ** len(s) for s in SETS}
SD = 38.0
BITS = bits_of(GRID, TABLES, SD, 10**9)


def exact(rows):
    """Contrasts of about so many rows a cell."""
    counts = np.random.default_rng(1).poisson(rows, GRID.shape(GRID.attributes))
    return contrasts_of(GRID, counts, TABLES)


def estimates(rows=1.0, sd=60.0, seed=20230101):
    """The same with noise of this deviation."""
    dice = np.random.default_rng(seed)
    return {s: a + dice.normal(0, sd, len(a)) for s, a in exact(rows).items()}


def fitting(covariances=None, norm=NORM, sd=SD, bits=BITS):
    """The fit of these tables."""
    return Fit(GRID, TABLES, norm, sd, bits, covariances)


def lowest(coefficients, bits=BITS):
    """The lowest cell of all whole tables."""
    whole = whole_tables(GRID, TABLES, coefficients, bits)
    return min(int(table.min()) for table in whole.values())


def off(found, wanted, norm=NORM):
    """Σ W_S |a_S − b_S|²."""
    return sum(w * float(((found[s] - wanted[s]) ** 2).sum()) for s, w in norm.items())


def far(found, wanted):
    """The largest difference of a contrast."""
    return max(float(np.abs(found[s] - wanted[s]).max()) for s in SETS)
