"""Energies: which contrasts a query needs, and what noise on them costs it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sigmacount.contrasts import (
    Grid,
    GriddedQuery,
    GriddedWorkload,
    IsotropicCovariance,
    IsotropicStrategy,
    WeightedTables,
    coefficients,
    energy_under,
    isotropic_energies,
    isotropic_energy,
    least_variance,
    variance,
    variances,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse
from sigmacount.sets import GroupedQuery, WeightedQuery, WeightedTable, Workload
from tests.core.grids import (
    GRID,
    SCHEMA,
    basis,
    cells_of,
    gridded,
    marginal,
    random_log,
)


def test_an_answer_is_the_sum_of_its_contrasts():
    """For any rows: answer = Σ_S c_Sᵀ φ_S M_S."""
    rng = np.random.default_rng(5)
    rows = rng.integers(100, size=60)

    for entry in random_log(rng, 20):
        found = coefficients(GRID.table_of(entry.query))

        answer = sum(c @ basis(s) @ marginal(s) @ rows for s, c in found.items())
        assert answer == pytest.approx(float(rows[cells_of(entry.query)].sum()))


def test_sets_without_a_part_in_a_query_are_left_out():
    """Whoever asks for one value of two attributes needs four sets."""
    one = parse(SCHEMA, "a = 'a0' and b = 'b1'")
    parity = GriddedQuery((0, 3), np.eye(2, dtype=np.bool_))

    assert set(coefficients(GRID.table_of(one))) == {(), (0,), (1,), (0, 1)}
    assert set(coefficients(parity)) == {(), (0, 3)}


def test_energies_without_their_sizes_add_up_to_the_part_of_the_grid_inside():
    """Efron-Stein: Σ_S e_S = mean of h² = mean of h, g_S = p_S e_S."""
    tables = np.random.default_rng(6).random((7, 3, 5)) < 0.4

    found = isotropic_energies(tables)

    sizes = np.array([[1, 4], [2, 8]])
    assert np.allclose((found / sizes).sum((1, 2)), tables.mean((1, 2)))


def test_a_product_has_energies_of_its_shares_alone():
    """v_i = (b_i − 1) f (1 − f) where the set has the attribute, f² where not."""
    table = np.outer([True, False, True], [True, True, True, True, False])

    found = isotropic_energies(table[None])[0]

    assert np.allclose(found, np.outer([4 / 9, 2 * 2 / 9], [0.64, 4 * 0.8 * 0.2]))


def test_the_variance_of_an_answer_is_of_the_sets_it_needs():
    """None as long as one of them is not released."""
    query = GRID.table_of(parse(SCHEMA, "a = 'a0'"))
    held = {(): IsotropicCovariance(3.0, 1), (0,): IsotropicCovariance(5.0, 1)}

    assert variance(query, held) == pytest.approx((3.0 + 5.0) / 4)
    assert variance(query, {(): held[()]}) is None


def test_many_queries_vary_as_each_of_them():
    """Infinitely where a set that one needs is not released."""
    tables = np.random.default_rng(14).random((6, 2, 5)) < 0.5
    tables[0] = tables[0, :1]  # the first does not ask for the attribute a
    held = {s: IsotropicCovariance(2.0 + len(s), 1) for s in [(), (2,), (0, 2)]}

    found = variances(tables, (0, 2), held)

    each = [variance(GriddedQuery((0, 2), table), held) for table in tables]
    assert found.tolist() == [pytest.approx(np.inf if v is None else v) for v in each]
    assert np.isfinite(found[0])
    assert np.isinf(found[1:]).any()


def test_energies_under_strategies_are_those_of_isotropic_ones():
    """Where the strategies are; sets that nobody needs have none."""
    asked = gridded(random_log(np.random.default_rng(15), 30))
    energy = isotropic_energy(asked.chunks())
    del energy[0, 2]
    strategies = {s: IsotropicStrategy(GRID.shape(s)) for s in [*energy, (0, 1, 2, 3)]}

    found = energy_under(asked.chunks(), strategies)

    assert found == {
        **{s: pytest.approx(g) for s, g in energy.items()},
        (0, 1, 2, 3): 0,
    }


def columns(count: int, values: int | None = None):
    """The paper's questions: every column wanted 1 or 0 by 5 %, or neither by 90 %.

    Of each set of columns all values are asked, or so many with the weight of all.
    """
    for size in range(count + 1):
        for active in combinations(range(count), size):
            asked = np.eye(2**size, dtype=np.bool_)[:values].reshape(-1, *(2,) * size)
            weight = 0.1**size * 0.9 ** (count - size) / len(asked)
            yield WeightedTables(active, np.full(len(asked), weight), asked)


def test_the_papers_columns_have_their_closed_form():
    """V = (√.925 + √.025)^{2c}: 9.626 for 10 columns, 116.21 for 21."""
    one, ten = isotropic_energy(columns(1)), isotropic_energy(columns(10, values=1))

    assert one == {(): pytest.approx(0.925), (0,): pytest.approx(0.025)}
    assert least_variance(ten) == pytest.approx(9.626, rel=1e-4)
    assert least_variance(ten) == pytest.approx(least_variance(one) ** 10)
    assert least_variance(one) ** 21 == pytest.approx(116.21, rel=1e-4)


def test_a_table_is_the_mean_of_its_rows():
    """As many queries as it has rows, of the same weight together."""
    condition = parse(SCHEMA, "b <> 'b2' and (a = 'a0' or b = 'b1')")
    table = GroupedQuery.of(condition, ["c", "b"])
    rows = [WeightedQuery(cell.query, 0.5) for cell in table.cells()]

    found, wanted = (
        GriddedWorkload.of(GRID, Workload.of(SCHEMA, log))
        for log in ([WeightedTable(table, 3.0)], rows)
    )

    energy = isotropic_energy(wanted.chunks())
    assert len(rows) == 10
    assert found.active_sets == {(0, 1, 2)}
    assert found.lost == 0
    assert isotropic_energy(found.chunks()) == pytest.approx(energy)


def test_what_does_not_fit_the_grid_is_lost():
    """Its weight is told, and the shares stay shares of all questions."""
    log = [
        WeightedQuery(parse(SCHEMA, "a = 'a0'"), 3.0),
        WeightedQuery(parse(SCHEMA, "c = 'c0'"), 1.0),
        WeightedTable(GroupedQuery.of(parse(SCHEMA, "a = 'a0'"), ["c"]), 2.0),
        WeightedTable(GroupedQuery.of(parse(SCHEMA, "c = 'c0'"), ["a"]), 2.0),
    ]
    coarse = GriddedWorkload.of(
        type(GRID).of(SCHEMA, {0: GRID.blocks[0], 1: GRID.blocks[1]}),
        Workload.of(SCHEMA, log),
    )

    assert (coarse.lost, coarse.distinct_lost) == (pytest.approx(5 / 8), 3)
    assert [c.weights.tolist() for c in coarse.chunks()] == [[pytest.approx(3 / 8)]]


def test_a_part_of_a_log_keeps_its_shares():
    """Questions of other attributes are lost to it."""
    log = random_log(np.random.default_rng(7), 30)
    log.append(WeightedTable(GroupedQuery.of(parse(SCHEMA, "a = 'a0'"), ["c"])))
    whole = gridded(log)

    part = whole.within(whole.active_sets - {(0, 2)})

    kept = sum(float(chunk.weights.sum()) for chunk in part.chunks())
    assert part.active_sets == whole.active_sets - {(0, 2)}
    assert 0 < part.lost == pytest.approx(1 - kept)
    assert part.distinct_lost > 1


def test_a_query_of_too_many_cells_is_lost():
    """Its table would be larger than anything that is released."""
    wide = Schema(
        "wide",
        tuple(Attribute.categorical(n, [f"{n}{v}" for v in range(200)]) for n in "xyz"),
    )
    grid = Grid.of(wide, {i: np.arange(200) for i in range(3)})
    condition = parse(wide, "x = 'x1' and y = 'y1' and z = 'z1'")
    by = GroupedQuery.of(parse(wide, "x = 'x1' and y = 'y1'"), ["z"])
    log = [WeightedQuery(condition), WeightedTable(by)]

    found = GriddedWorkload.of(grid, Workload.of(wide, log))

    assert (found.lost, found.distinct_lost) == (1, 2)
    assert grid.table_of(condition) is None
