"""Turbo's workload: its size, its accuracy, its queries."""

import numpy as np
import pytest

from experiments.measuring import covid


def test_every_product_of_non_empty_sets_is_there_once():
    """3 · 3 · 15 · 255 of them, over 128 cells."""
    every = covid.products()

    assert every.shape == (34_425, 128)
    assert len(np.unique(np.packbits(every, axis=1), axis=0)) == 34_425
    assert every.any(axis=1).all()


@pytest.mark.parametrize("number", [0, 77, 12_345, 34_424])
def test_a_query_holds_the_cells_of_its_row(number):
    """The library's query and the row of the matrix are one set."""
    cells = np.arange(covid.CELLS)

    assert (covid.query(number).contains(cells) == covid.products()[number]).all()


def test_one_release_needs_what_mathematics_says():
    """ε·n = 1,062 for 128 atoms; ln(1/β)/α = 138 for one."""
    assert covid.needed(128) * covid.ROWS / 1e6 == pytest.approx(1_062, abs=1.5)
    assert covid.needed(1) * covid.ROWS / 1e6 == pytest.approx(138.2, abs=0.5)


def test_zipf_draws_repeat_and_uniform_ones_hardly():
    """All of the draws are there, the same with each call."""
    zipf, uniform = covid.asked(1.0), covid.asked(0.0)

    assert zipf.sum() == uniform.sum() == covid.DRAWN
    assert (zipf == covid.asked(1.0)).all()
    assert (zipf > 0).sum() < 0.6 * (uniform > 0).sum()


def test_misses_are_counted():
    """Hardly any with the ε that is needed; many with a tenth of it."""
    times = covid.asked(1.0)

    assert covid.misses(covid.needed(128), times, 50) < 0.01
    assert covid.misses(covid.needed(128) // 10, times, 50) > 0.1


def test_the_largest_query_misses_most():
    """It sums all atoms: with a tenth of the ε it hardly ever hits."""
    assert covid.misses_of_all(covid.needed(128), 500) < 0.02
    assert covid.misses_of_all(covid.needed(128) // 10, 500) > 0.5
