"""A log on a grid: energies, moments and Gram matrices of its coefficients."""

from __future__ import annotations

import itertools
from functools import reduce

import numpy as np
import pytest

from sigmacount.contrasts import (
    closure,
    orthonormal,
)
from sigmacount.contrasts.tailoring.attributes import AttributeShapes
from sigmacount.contrasts.tailoring.gridded_log import GriddedLog
from sigmacount.contrasts.tailoring.target import Target
from tests.core.range_logs import small_log

RNG = np.random.default_rng


def coefficients(workload):
    """Weights and c_S of every query, as dense as can be: {S: [(w, c)]}."""
    grid, found = workload.grid, {}
    for active, asked in workload.queries.items():
        for size in range(len(active) + 1):
            for each in itertools.combinations(active, size):
                axes = [
                    orthonormal(b) / b if i in each else np.full((1, b), 1 / b)
                    for i, b in zip(active, grid.shape(active), strict=True)
                ]
                whole = reduce(np.kron, axes, np.ones((1, 1)))
                found.setdefault(each, []).extend(
                    (w, whole @ table.ravel()) for table, w in asked
                )
    return found


@pytest.mark.parametrize("seed", range(3))
def test_energies_grams_and_moments_are_those_of_the_dense_coefficients(seed):
    """Products and other tables alike, whatever the strategies of the attributes."""
    rng = RNG(seed)
    workload = small_log(rng, 4)
    log = GriddedLog.of(workload, 1.0)
    grid = workload.grid
    roots = {
        i: rng.normal(size=(grid.size_of(i) + 1, grid.size_of(i) - 1))
        for i in (0, 1, 2)
    }
    scale = {s: rng.random() for s in closure([(0, 1, 2)])}

    dense = coefficients(workload)
    grams = {s: sum(w * np.outer(c, c) for w, c in each) for s, each in dense.items()}
    whole = {
        s: reduce(np.kron, [roots[i].T @ roots[i] for i in s], np.eye(1)) for s in grams
    }

    wanted = {s: np.trace(gram @ whole[s]) for s, gram in grams.items()}
    assert log.energies(roots) == pytest.approx(wanted)
    for s, gram in log.grams(grams).items():
        assert np.allclose(gram, grams[s])
    for i in (0, 1, 2):
        told = np.trace(log.moment(i, roots, scale) @ roots[i].T @ roots[i])
        assert told == pytest.approx(
            sum(scale[s] * wanted[s] for s in wanted if i in s)
        )
    kinds = {type(part).__name__ for part in log.parts}
    assert kinds == {"ProductQueries", "TableQueries"}


def test_what_a_set_is_judged_by_is_one_matrix():
    """Isotropic, product and dense forms of tr(TΣ) agree."""
    workload = small_log(RNG(7), 4)
    log = GriddedLog.of(workload, 4.0)  # weights above 1/4 were asked more than once
    shapes = AttributeShapes.of(log)
    target = Target.of(log, shapes.moments)
    roots = {
        i: RNG(i).normal(size=(4, workload.grid.size_of(i) - 1)) for i in (0, 1, 2)
    }

    costs = target.products(roots)

    assert log.once
    assert log.repeated
    for each, gram in log.grams([(0,), (0, 2), (0, 1, 2)]).items():
        matrix = target.matrix(each, gram)
        whole = reduce(np.kron, [roots[i].T @ roots[i] for i in each])
        assert costs[each] == pytest.approx(np.trace(matrix @ whole))
        size = len(gram)
        assert target.isotropic(each) == pytest.approx(size * np.trace(matrix))


def test_questions_asked_again_count_more_than_questions_asked_once():
    """Asked once each, a log tells of its attributes rather than of its sets."""
    workload = small_log(RNG(8), 30)

    once = Target.of(GriddedLog.of(workload, 1e-3), {i: np.eye(1) for i in (0, 1, 2)})
    again = Target.of(GriddedLog.of(workload, 1e9), {i: np.eye(1) for i in (0, 1, 2)})

    assert set(once.new.values()) == {1e3}
    assert set(again.new.values()) == {0.1}
