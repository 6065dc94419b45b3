"""The error of a query, whatever is known of the contrasts that it needs, and how."""

import numpy as np
import pytest

from sigmacount.contrasts import (
    DenseCovariance,
    Grid,
    IsotropicCovariance,
    ProductCovariance,
    closure,
    variance,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.fitting import bits_of
from sigmacount.release import JointPlan
from sigmacount.release.joint import reading
from sigmacount.release.joint.reading import Readings
from sigmacount.sets import Query

SIZES = (12, 11, 9)
SCHEMA = Schema(
    "wide",
    tuple(
        Attribute.categorical(name, [f"{name}{level}" for level in range(size)])
        for name, size in zip("abc", SIZES, strict=True)
    ),
)
GRID = Grid.of(SCHEMA, {i: np.arange(size) for i, size in enumerate(SIZES)})
TABLE = (0, 1, 2)
SETS = closure([TABLE])
RNG = np.random.default_rng(5)


def joint():
    """A plan of one table; nothing here is measured by it."""
    bits = bits_of(GRID, [TABLE], 4.0, 10**6)
    return JointPlan(GRID, (TABLE,), (), {}, bits, 4.0, 10**6)


def covariances():
    """One of each form, for sets of few contrasts and of many."""
    roots = [RNG.normal(size=(size, size - 1)) for size in SIZES]
    found = {s: IsotropicCovariance(1.0 + len(s), GRID.contrasts(s)) for s in SETS}
    for s in ((1,), (0, 1), TABLE):
        found[s] = ProductCovariance(0.5, tuple(roots[i] for i in s))
    root = RNG.normal(size=(8, 8))
    return found | {(2,): DenseCovariance(root @ root.T)}


def asked(active):
    """Cells at random over these attributes."""
    table = RNG.random(GRID.shape(active)) < 0.4
    return Query.build(SCHEMA, active, [np.arange(SIZES[i]) for i in active], table)


@pytest.mark.parametrize("active", SETS, ids=str)
def test_the_variance_is_the_sum_of_all_quadratic_forms(active):
    """Of 1,188 cells as of one, of 880 contrasts of a set as of eight."""
    known, query = covariances(), asked(active)
    assert GRID.cells(TABLE) > reading.SMALL

    found = Readings(joint(), known).of(query)

    assert found.error.variance == pytest.approx(variance(GRID.table_of(query), known))


def test_a_query_that_needs_an_unmeasured_set_is_not_held():
    """One that has no part in the set does not need it."""
    known = covariances()
    del known[(0,)]
    alike, blocks = np.zeros(SIZES[:2], np.bool_), [np.arange(n) for n in SIZES[:2]]
    for level in range(SIZES[0]):  # three levels of the second, whatever the first is
        alike[level, [(level + more) % SIZES[1] for more in range(3)]] = True
    readings = Readings(joint(), known)
    apart = Query.build(SCHEMA, (0, 1), blocks, alike)
    needs = Query.build(SCHEMA, (0, 1), blocks, alike & np.tri(*SIZES[:2], dtype=bool))

    assert readings.of(apart) is not None
    assert readings.of(needs) is None
