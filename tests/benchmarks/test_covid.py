"""The accuracy benchmark asks what it says it asks."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import bench_covid
from sigmacount.algebra import Algebra


def test_queries_are_all_products_of_non_empty_sets() -> None:
    """34,425 different ones, none empty, the last of all atoms."""
    queries = bench_covid.inside()
    assert queries.shape == (3 * 3 * 15 * 255, 128)
    assert len(np.unique(np.packbits(queries.astype(bool), axis=1), axis=0)) == 34_425
    assert queries[-1].all()
    assert queries.any(axis=1).all()


def test_the_release_has_an_atom_for_each_cell() -> None:
    """The noise drawn is of as many atoms as the queries sum."""
    assert Algebra.full(bench_covid.SCHEMA, (0, 1, 2, 3)).size == 128


def test_one_release_needs_what_mathematics_says() -> None:
    """1,062 but for the widened normal law."""
    assert bench_covid.scaled(bench_covid.needed(128)) == pytest.approx(1_062, abs=2)


def test_one_answer_alone_needs_the_tail_of_one_laplace() -> None:
    """ln(1/β)/α."""
    alone = np.log(1 / bench_covid.BETA) / bench_covid.ALPHA
    assert bench_covid.scaled(bench_covid.needed(1)) == pytest.approx(alone, rel=1e-3)


@pytest.mark.parametrize("zipf", [0, 1])
def test_draws_leave_as_many_distinct_queries_as_expected(zipf: int) -> None:
    """Zipf draws repeat as often as chance has it."""
    times = bench_covid.asked(34_425, zipf)
    chance = np.arange(1, 34_426, dtype=float) ** -zipf
    chance /= chance.sum()
    expected = (1 - (1 - chance) ** bench_covid.DRAWN).sum()
    assert times.sum() == bench_covid.DRAWN
    assert np.count_nonzero(times) == pytest.approx(expected, rel=0.03)


def test_half_the_budget_misses_more_often_than_allowed() -> None:
    """The measured check can fail."""
    queries, needed = bench_covid.inside()[-1:], bench_covid.needed(128)
    assert bench_covid.misses(queries, np.ones(1), needed // 2) > 10 * bench_covid.BETA
