"""The bound: what no unbiased Gaussian release goes below."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.contrasts import (
    Grid,
    WeightedTables,
    isotropic_energy,
    least_possible,
    least_variance,
)
from sigmacount.contrasts.optimum import bound
from sigmacount.domain import Attribute, Schema
from tests.core.grids import GRID, cells_of, gridded, random_log
from tests.core.test_energies import columns


@pytest.mark.parametrize("few", [0, 1_024])
def test_it_is_the_sum_of_the_singular_values_of_the_workload(few, monkeypatch):
    """Of √w · h under the uniform law, by queries as by cells."""
    monkeypatch.setattr(bound, "FEW_CELLS", few)
    log = random_log(np.random.default_rng(8), 40)
    whole = sum(entry.weight for entry in log if not entry.query.empty)
    rows = [cells_of(e.query) * np.sqrt(e.weight / whole / 60) for e in log]

    found = least_possible(GRID, gridded(log).chunks())

    wanted = np.linalg.svd(np.array(rows), compute_uv=False).sum() ** 2
    assert found == pytest.approx(wanted)
    assert found <= least_variance(isotropic_energy(gridded(log).chunks()))


def test_isotropic_noise_attains_it_where_all_values_are_asked_alike():
    """The paper's columns: their symmetry leaves nothing to gain."""
    names = "abcd"
    bits = Schema("bits", tuple(Attribute.boolean(name) for name in names))
    grid = Grid.of(bits, {i: np.arange(2) for i in range(4)})
    asked = list(columns(4))

    found = least_possible(grid, asked)

    assert found == pytest.approx(least_variance(isotropic_energy(asked)))


def test_a_part_of_the_queries_gives_a_lower_bound(monkeypatch):
    """The heaviest are kept; one that falls into too many products is passed over."""
    log = random_log(np.random.default_rng(9), 60)
    whole = least_possible(GRID, gridded(log).chunks())

    monkeypatch.setattr(bound, "MOST_PRODUCTS", 12)
    monkeypatch.setattr(bound, "FEW_CELLS", 0)

    assert 0 < least_possible(GRID, gridded(log).chunks()) < whole


@pytest.mark.parametrize("few", [0, 1_024])
def test_without_questions_nothing_errs(few, monkeypatch):
    """Nor where nothing is in them."""
    monkeypatch.setattr(bound, "FEW_CELLS", few)
    nothing = WeightedTables((0,), np.ones(1), np.zeros((1, 2), np.bool_))

    assert least_possible(GRID, []) == 0
    assert least_possible(GRID, [nothing]) == 0
