"""Order of joint tables: A ⊆ B gives N̂(A) ≤ N̂(B), whichever tables hold them.

Tables that are non-negative and agree suffice, though no rows need exist that have them
all: the shadow of A on what both queries know lies between A and B, and both tables
hold it.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.contrasts import Grid
from sigmacount.fitting import Fit, bits_of, nearest, whole_tables
from tests.core.families import grid_of, pairs_of, summed

SD = 10.0
sizes = st.lists(st.integers(2, 4), min_size=3, max_size=4)
attributes = st.sets(st.integers(0, 2), min_size=1).map(lambda s: tuple(sorted(s)))
seeds = st.integers(0, 2**32 - 1)


@st.composite
def released(draw):
    """A grid, two or three tables over it, and hostile noise made whole."""
    grid = grid_of(*draw(sizes))
    if draw(st.booleans()):  # its blocks were cut after they had been measured
        wide = {i: np.arange(grid.size_of(i)) // 2 for i in grid.attributes}
        grid = Grid.of(grid.schema, wide).cut_by(grid)
    last = len(grid.attributes) - 1
    tables = {draw(attributes), draw(attributes), (0, last)}
    noise = np.random.default_rng(draw(seeds))
    spread = draw(st.sampled_from([1.0, 30.0, 1e4]))
    held = grid.sets_within(tables)
    noisy = {s: noise.normal(0, spread, grid.contrasts(s)) for s in held}
    norm = {s: 1 / 4 ** len(s) for s in noisy}
    bits = bits_of(grid, tables, SD, 10**9)
    fitted = Fit(grid, tables, norm, SD, bits).of(noisy)
    whole = whole_tables(grid, tables, fitted.coefficients, bits)
    return grid, tables, whole, bits, noise


def count(grid, whole, bits, table, inside):
    """The whole rows of a boolean table over the axes of one of the tables."""
    units = sum(whole[table][inside.ravel()].tolist())
    return nearest(units, grid.cells(table) << bits)


def widened(grid, one, inside, two):
    """The shadow of a set on what two tables share, over the axes of the other."""
    rest = tuple(k for k, i in enumerate(one) if i not in two)
    shadow = inside.any(rest)
    shape = [grid.size_of(i) if i in one else 1 for i in two]
    return np.broadcast_to(shadow.reshape(shape), grid.shape(two))


@given(family=released())
def test_a_subset_never_counts_more_in_any_table(family):
    """Boolean sets of all shapes; the larger one constrains other attributes."""
    grid, tables, whole, bits, dice = family

    for one, two, _ in pairs_of([*tables, *tables]):
        inside = dice.random(grid.shape(one)) < dice.choice([0.1, 0.5])
        around = widened(grid, one, inside, two) | (dice.random(grid.shape(two)) < 0.2)
        less = count(grid, whole, bits, one, inside)
        more = count(grid, whole, bits, two, around)
        assert 0 <= less <= more


@given(family=released())
def test_all_tables_give_a_query_one_value(family):
    """Exactly, in each one's units, on all that any two of them share."""
    grid, tables, whole, _, _ = family

    for one, two, shared in pairs_of(tables):
        left = summed(grid, whole, one, shared) * grid.cells(two)
        right = summed(grid, whole, two, shared) * grid.cells(one)
        assert left.tolist() == right.tolist()
