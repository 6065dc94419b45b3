"""Overlapping marginals: what they err together, and how ε is split among them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.contrasts import isotropic_energy
from sigmacount.planner.marginals import choice as choices
from sigmacount.planner.marginals.choice import (
    MarginalChange,
    MarginalChoice,
    TableLimits,
    changes,
    estimated,
)
from sigmacount.planner.marginals.objective import MarginalObjective
from sigmacount.planner.marginals.search import best_marginals
from sigmacount.planner.marginals.split import best_split
from tests.core.grids import GRID, cells_of, gridded, marginal, random_log

ROOMY = TableLimits(2**21, 2**22, 64)
TABLES = (0b1111, 0b0110, 0b1001, 0)
SHARES = np.array([0.4, 0.3, 0.2, 0.1])


def objective_of(log) -> MarginalObjective:
    """The objective of a log over the small grid."""
    energy = isotropic_energy(gridded(log).chunks())
    return MarginalObjective.of(
        GRID, {s: g / GRID.contrasts(s) for s, g in energy.items()}
    )


def products(cells, kept, split) -> MarginalObjective:
    """E_S = Π split_i · Π kept_i: queries that ask attributes independently."""
    masks = np.arange(1 << len(cells))
    bits = masks[:, None] >> np.arange(len(cells)) & 1
    energy = np.where(bits, np.array(split), np.array(kept)).prod(axis=1)
    return MarginalObjective(
        np.array(cells, float), masks, energy, np.zeros(len(masks))
    )


def paper(width: int) -> MarginalObjective:
    """The paper's log: each column asks for 1, 0 or both, with 0.05, 0.05, 0.9."""
    return products([2] * width, [0.925] * width, [0.025] * width)


def covid() -> MarginalObjective:
    """All products of subsets of 2, 2, 4 and 8 levels, alike (Turbo's workload)."""
    kept, split = [], []
    for levels in (2, 2, 4, 8):
        part = np.array([np.mean(s) for s in itertools.product((0, 1), repeat=levels)])
        kept.append(float(np.mean(part[1:] ** 2)))
        split.append(float(np.mean(part[1:] * (1 - part[1:]))))
    return products([2, 2, 4, 8], kept, split)


def test_the_error_is_that_of_least_squares_over_all_tables():
    """V against dense algebra over the whole domain, in units of 2/B²."""
    log = random_log(np.random.default_rng(1), 60)
    objective = objective_of(log)
    chosen = [[i for i in range(4) if table >> i & 1] for table in TABLES]
    measured = np.vstack([e * marginal(u) for u, e in zip(chosen, SHARES, strict=True)])

    covariance = np.linalg.pinv(measured.T @ measured)

    asked = [(cells_of(each.query), each.weight) for each in log]
    errors = np.array([w * (q @ covariance @ q) for q, w in asked])
    weights = np.array([w for q, w in asked if q.any()])  # the others are free
    value = objective.value(objective.rows(TABLES), SHARES)
    assert value == pytest.approx(errors.sum() / weights.sum())


def test_a_set_in_no_table_errs_without_bound():
    """A choice without it is none, and no change of tables leads to it."""
    objective = objective_of(random_log(np.random.default_rng(1), 60))
    choice = MarginalChoice.of(objective, (0b0111, 0b1111))
    assert choice is not None

    gone = estimated(objective, choice, [MarginalChange((1,), None, 0.0)])

    assert math.isinf(gone[0])
    assert math.isinf(objective.value(objective.rows((0b0111,)), np.ones(1)))
    assert MarginalChoice.of(objective, (0b0111,)) is None
    assert MarginalChoice.of(objective, ()) is None


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 6))
def test_the_split_never_errs_more_and_ends_where_no_share_can_move(seed, count):
    """e_U²·∂V/∂(e_U²) is the same part of V as e_U is of ε, for every table kept."""
    rng = np.random.default_rng(seed)
    objective = objective_of(random_log(rng, 12))
    tables = (0b1111, *rng.choice(15, count, replace=False).tolist())
    rows, start = objective.rows(tables), rng.dirichlet(np.ones(count + 1)) + 1e-3

    shares, value = best_split(objective, rows, start, 5_000, 1e-15)

    assert shares.sum() == pytest.approx(1)
    assert value <= objective.value(rows, start / start.sum()) * (1 + 1e-12)
    told = objective.energy / (shares**2 @ rows) ** 2
    parts = shares**2 * (rows @ told) / value
    kept = shares > 1e-3
    assert parts[kept] == pytest.approx(shares[kept], rel=2e-3)


def test_separate_tables_share_by_the_cube_root():
    """Theorem 3's split, of which this is the general form."""
    masks, energy = np.array([0b01, 0b10]), np.array([0.3, 0.2])
    objective = MarginalObjective(
        np.array([3.0, 40.0]), masks, energy, np.zeros(len(masks))
    )

    shares, value = best_split(objective, objective.rows((1, 2)), np.ones(2))

    roots = np.cbrt([0.3 * 3, 0.2 * 40])
    assert shares == pytest.approx(roots / roots.sum(), rel=1e-4)
    assert value == pytest.approx(roots.sum() ** 3)


@pytest.mark.parametrize(
    ("objective", "wanted", "within"),
    [(paper(10), 138.865, 1e-4), (covid(), 15.2299, 1e-4)],
)
def test_known_workloads_err_as_was_foreseen(objective, wanted, within):
    """Ten columns: one table over all beside four; Turbo's Covid: that one alone."""
    found = best_marginals(objective, ROOMY)

    assert found.value == pytest.approx(wanted, rel=within)
    assert found.shares.sum() == pytest.approx(1)


def test_the_same_log_gives_the_same_tables():
    """The search draws numbers, from one seed."""
    objective = objective_of(random_log(np.random.default_rng(8), 40))

    one, other = (best_marginals(objective, ROOMY, 300_000) for _ in range(2))

    assert one.tables == other.tables
    assert one.shares.tolist() == other.shares.tolist()


@pytest.mark.parametrize(
    "limits",
    [TableLimits(30, 2**22, 64), TableLimits(60, 90, 3)],
)
def test_tables_stay_within_their_limits(limits):
    """Cells of one, cells of all, and how many."""
    objective = objective_of(random_log(np.random.default_rng(3), 25))

    found = best_marginals(objective, limits, 300_000)

    volumes = [objective.volume(table) for table in found.tables]
    assert found.fits(objective, limits)
    assert max(volumes) <= limits.cells
    assert sum(volumes) <= limits.total_cells
    assert len(volumes) <= limits.tables


def test_what_all_tables_have_together_is_bounded():
    """Found anew, with less room than the best ones take."""
    objective = objective_of(random_log(np.random.default_rng(3), 25))
    roomy = best_marginals(objective, ROOMY, 300_000)
    taken = sum(objective.volume(table) for table in roomy.tables)

    found = best_marginals(objective, TableLimits(2**21, taken - 1, 64), 300_000)

    assert sum(objective.volume(table) for table in found.tables) < taken
    assert found.value > roomy.value


def test_no_tables_are_found_where_none_fit():
    """The caller leaves something out and asks again."""
    objective = objective_of(random_log(np.random.default_rng(3), 25))

    assert best_marginals(objective, TableLimits(5, 5, 1)) is None


def test_a_change_errs_no_more_than_was_estimated():
    """The estimate lets no other share move; the split then does."""
    objective = objective_of(random_log(np.random.default_rng(5), 25))
    choice = MarginalChoice.of(objective, (0b0111, 0b1110, 0b1011, 0b1101))
    assert choice is not None

    looked_at = 0
    for several in changes(objective, choice, 60):
        for value, change in zip(
            estimated(objective, choice, several), several, strict=True
        ):
            if math.isfinite(value):
                made = choice.changed(objective, change)
                assert made.value <= value * (1 + 1e-9)
                looked_at += 1
    assert looked_at > 50


def test_of_a_large_log_fewer_changes_are_looked_at(monkeypatch):
    """Neither two attributes at once, nor tables merged or added."""
    objective = objective_of(random_log(np.random.default_rng(5), 25))
    choice = MarginalChoice.of(objective, (0b0111, 0b1110, 0b1011, 0b1101))
    asked = len(objective.masks)
    counted = []

    for many in (2**24, asked**2 - 1, 1):
        monkeypatch.setattr(choices, "MANY", many)
        counted.append(sum(map(len, changes(objective, choice, 60))))

    assert counted[0] > counted[1] > counted[2] > 0
    assert counted[2] <= 4 * (1 + 4)
