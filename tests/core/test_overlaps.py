"""κ: by brute force over all pairs of cells, and never below that."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sigmacount.continual import overlap, overlaps
from sigmacount.contrasts import (
    ContrastMeasurement,
    Grid,
    IsotropicStrategy,
    MeasuredSet,
    ProductStrategy,
    WeightedStrategy,
    edge,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.release.joint.estimating import noisy_units
from tests.core import grids, joint_plans

EXACT = 1e-9  # what is added so that floats may round
ALL_SETS = [tuple(i for i in range(4) if case >> i & 1) for case in range(2**4)]


def by_brute_force(measurement):
    """−min K(x, y) over all pairs of the 60 cells, in units of what was paid."""
    kernel = np.zeros((60, 60))
    for part in measurement.parts:
        tables = grids.marginal(part.attributes)
        shape = part.strategy.shape
        columns = part.strategy.measured(tables.T.reshape(-1, *shape))
        kernel += columns @ columns.T / part.deviation**2
    apart = kernel[~np.eye(60, dtype=bool)].min()
    paid = sum(part.precision for part in measurement.parts)
    assert np.diag(kernel).max() <= paid * (1 + EXACT)
    return max(0.0, -apart / paid)


def measured(parts):
    """A measurement of these over the small grid."""
    return ContrastMeasurement.of(grids.GRID, {p.attributes: p for p in parts})


def isotropic(attributes, deviation):
    """All contrasts of a set alike."""
    return MeasuredSet(
        attributes, IsotropicStrategy(grids.GRID.shape(attributes)), deviation
    )


def of_all(deviations):
    """Every set of the grid, isotropic."""
    return measured(isotropic(s, d) for s, d in zip(ALL_SETS, deviations, strict=True))


@pytest.mark.parametrize(
    ("attributes", "kappa"), [((), 0), ((0,), 1), ((1,), 0.5), ((2,), 0.25)]
)
def test_of_one_set(attributes, kappa):
    """The total 0, two blocks 1, three 1/2, five 1/4."""
    found = overlap(measured([isotropic(attributes, 3.0)]))

    assert kappa <= found <= min(1, kappa + EXACT)


def test_of_atoms():
    """0: measured so that the sum of all sets is noise on every cell alike."""
    deviations = [
        float(np.prod([1 if b == 2 else b**0.5 for b in grids.GRID.shape(s)]))
        for s in ALL_SETS
    ]

    found = overlap(of_all(deviations))

    assert 0 <= found <= EXACT


@cache
def walsh(columns):
    """What is best for conjunctions that fix each column with probability 0.1."""
    names = [f"c{i}" for i in range(columns)]
    schema = Schema("w", tuple(Attribute.categorical(n, ["a", "b"]) for n in names))
    grid = Grid.of(schema, {i: np.arange(2) for i in range(columns)})
    apart = (0.025 / 0.925) ** 0.25  # √ of the roots' ratio, for each column
    parts = {}
    for case in range(2**columns):
        each = tuple(i for i in range(columns) if case >> i & 1)
        shape = IsotropicStrategy((2,) * len(each))
        parts[each] = MeasuredSet(each, shape, apart ** -len(each))
    return ContrastMeasurement.of(grid, parts)


def test_of_what_is_best_for_symmetric_logs():
    """0, over ten columns and a thousand sets."""
    assert overlap(walsh(10)) <= EXACT


@pytest.mark.parametrize("seed", range(6))
def test_isotropic_sets_are_exact(seed):
    """Of any scales, some sets left out."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(16)[: rng.integers(1, 16)]
    parts = [isotropic(ALL_SETS[k], float(rng.uniform(0.5, 20))) for k in chosen]

    found = overlap(measured(parts))

    assert found == pytest.approx(by_brute_force(measured(parts)), abs=EXACT)


RANGES = np.array([[1, -1, 0], [1, 1, -2], [0, 1, -1]])


def product_set(deviation):
    """Ranges of an attribute of three, with every contrast of one of five."""
    return MeasuredSet((1, 2), ProductStrategy((RANGES, edge(5))), deviation)


def weighted_set(seed, deviation):
    """Weights on the rows of the isotropic strategy, and a binary attribute."""
    weights = np.random.default_rng(seed).integers(-3, 4, (4, 3)) + np.eye(
        4, 3, dtype=int
    )
    weights[:3] += 5 * np.eye(3, dtype=int)
    return MeasuredSet((0, 1), WeightedStrategy((2, 3), weights), deviation)


@pytest.mark.parametrize("one", [product_set(2.0), weighted_set(1, 2.0)])
def test_one_set_of_another_kind_is_exact(one):
    """Its matrix is multiplied out, or that of each attribute."""
    alone = measured([one])

    assert overlap(alone) == pytest.approx(by_brute_force(alone), abs=EXACT)


def test_two_sets_of_one_matrix():
    """Each pulls its own way: −1 by one attribute, and −1 by the other."""
    halves = ProductStrategy((edge(2),))
    both = measured([MeasuredSet((0,), halves, 2.0), MeasuredSet((3,), halves, 2.0)])

    assert overlap(both) == pytest.approx(by_brute_force(both)) == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_mixture_is_never_below_the_truth(seed):
    """Each set's worst pair at once: too large a κ promises less."""
    rng = np.random.default_rng(seed)
    deviations = rng.uniform(1, 9, 5)
    parts = [
        *(isotropic(ALL_SETS[k], float(deviations[k])) for k in range(3)),
        product_set(float(deviations[3])),
        weighted_set(seed, float(deviations[4])),
    ]
    mixed = measured({p.attributes: p for p in parts}.values())

    truth, found = by_brute_force(mixed), overlap(mixed)

    assert truth <= found <= 1
    assert found <= truth + 0.2  # how weak, for these seeds


def test_where_there_are_too_many_cases_it_is_weaker_and_still_true(monkeypatch):
    """Sets of other kinds by their worst pair; large ones by Cauchy and Schwarz."""
    parts = [isotropic((), 1.0), product_set(4.0), weighted_set(0, 4.0)]
    exact = overlap(measured(parts))

    monkeypatch.setattr(overlaps, "MOST_SUMMED", 0)
    assert exact <= overlap(measured(parts)) <= 1
    monkeypatch.setattr(overlaps, "MOST_CELLS", 0)
    assert exact <= overlap(measured(parts)) <= 1
    monkeypatch.setattr(overlaps, "MOST_ATTRIBUTES", 2)
    assert overlap(measured(parts)) == 1


def test_it_is_no_matter_of_units():
    """All scales times two: the same κ."""
    once = of_all([1.0 + k % 5 for k in range(16)])

    twice = measured(replace(p, deviation=2 * p.deviation) for p in once.parts)

    assert overlap(twice) == overlap(once) > 0


@pytest.mark.parametrize("step", range(3))
def test_of_blocks_that_were_cut(step):
    """Each rung counts as an attribute, so κ may be too large, and never too small."""
    whole = joint_plans.of_cuts()
    held = [p for p in whole.units[step].parts if p.attributes]
    parts = {p.attributes: replace(p, deviation=9.0 + k) for k, p in enumerate(held)}
    unit = ContrastMeasurement.of(whole.units[step].grid, parts)
    weights = dict.fromkeys(unit.sets, 1.0)
    joint = replace(whole.joint, measurements=(unit,), norm=weights)
    plan, single = replace(whole, joint=joint), np.eye(48, dtype=np.int64)
    silent = joint_plans.no_noise(plan)
    tallies = (joint_plans.tallies_of(plan, row) for row in single)
    rows = [noisy_units(plan, joint, each, silent)[unit.id] for each in tallies]
    columns = np.array(rows) / np.repeat(
        [p.deviation for p in unit.parts], unit.mechanism.rows
    )
    apart = (columns @ columns.T)[~np.eye(48, dtype=bool)].min()
    truth = -apart / sum(part.precision for part in unit.parts)

    found = overlap(unit)

    assert 0 < truth <= found <= min(1, truth + 0.4)
