"""Small joint plans over the tiny domain, true tables, and queries on its grid."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from sigmacount.contrasts import (
    ContrastMeasurement,
    Grid,
    IsotropicStrategy,
    MeasuredSet,
    alike,
    attributes_of,
    closure,
)
from sigmacount.fitting import bits_of
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group, JointPlan, Plan, tally
from sigmacount.sets import Query
from tests.core.tiny import CELLS, SCHEMA

BLOCKS = {
    0: np.array([0, 1, 2]),
    1: np.array([0, 1]),
    2: np.array([0, 0, 1, 2]),
    3: np.array([0, 1]),
}
GRID = Grid.of(SCHEMA, BLOCKS)
TABLES = ((0, 1), (0, 3), (1, 2, 3))
ROWS_MAX = 10**6
SD = 4.0
FRESH = DiscreteLaplace.costing(50_000)


def joint_of(tables=TABLES, measurements=(), norm=None, sd=SD, rows_max=ROWS_MAX):
    """A joint plan over the tiny grid; every set matters alike unless it is said."""
    bits = bits_of(GRID, tables, sd, rows_max)
    made = JointPlan(GRID, tables, measurements, {}, bits, sd, rows_max)
    weights = dict.fromkeys(made.sets, 1.0) if norm is None else norm
    return JointPlan(GRID, tables, measurements, weights, bits, sd, rows_max)


def of_groups(sets=TABLES, micro=300_000, version=1, **about):
    """A plan of family P: noisy tables over these sets."""
    mechanism = DiscreteLaplace.costing(micro)
    groups = tuple(Group(GRID.algebra(each), mechanism) for each in sets)
    held = set(closure(sets)) & set(closure(TABLES))
    joint = joint_of(norm=dict.fromkeys(held, 1.0), **about)
    return Plan(version, groups, FRESH, joint=joint)


def measuring(deviations=(20.0,), tables=TABLES):
    """Measurements of all sets within the tables, one for each scale of noise."""
    made = []
    for deviation in deviations:
        parts = {
            s: MeasuredSet(s, IsotropicStrategy(GRID.shape(s)), deviation * 2 ** len(s))
            for s in closure(tables)
        }
        made.append(ContrastMeasurement.of(GRID, parts))
    return tuple(made)


def of_contrasts(deviations=(20.0,), version=1, **about):
    """A plan of family Z: every set within the tables, measured as often as said."""
    joint = joint_of(measurements=measuring(deviations), **about)
    return Plan(version, (), FRESH, joint=joint)


def cut_grid():
    """The tiny grid, after two cuts inside blocks that had been measured."""
    first = Grid.of(SCHEMA, {0: np.array([0, 0, 1]), 2: np.array([0, 0, 0, 1])})
    second = first.cut_by(Grid.of(SCHEMA, {i: BLOCKS[i] for i in (0, 1)}))
    return second.cut_by(GRID)


def of_cuts(version=1, sd=SD, rows_max=ROWS_MAX):
    """A plan of family Z that was topped up twice, for logs that cut blocks."""
    grid, made = cut_grid(), []
    for step, deviation in zip(grid.steps, (20.0, 30.0, 50.0), strict=True):
        within = [tuple(i for i in t if i in step.attributes) for t in TABLES]
        parts = {
            s: MeasuredSet(s, alike(step.rungs(s)), deviation * 2 ** len(s))
            for s in step.sets_within(within)
        }
        made.append(ContrastMeasurement.of(step, parts))
    bits = bits_of(grid, TABLES, sd, rows_max)
    norm = {s: 4.0 ** -len(attributes_of(s)) for s in grid.sets_within(TABLES)}
    joint = JointPlan(grid, TABLES, tuple(made), norm, bits, sd, rows_max)
    return Plan(version, (), FRESH, joint=joint)


def rows_of(seed=0, rows=400):
    """How many rows each of the 48 cells has: int64 (48,)."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(rows, rng.dirichlet(np.ones(CELLS.size))).astype(np.int64)


def tallies_of(plan, counts):
    """True counts of all that the plan has counted, by id of the algebra."""
    return {each.id: tally(each, CELLS, counts) for each in plan.tallied}


def no_noise(plan):
    """As much noise as none, for every unit."""
    return {unit.id: np.zeros(unit.draws, np.int64) for unit in plan.units}


def drawn(plan, seed=0):
    """Made-up noise of about the right size, for every unit."""
    rng = np.random.default_rng(seed)
    return {
        unit.id: np.rint(rng.normal(0, 5, unit.draws)).astype(np.int64)
        for unit in plan.units
    }


@st.composite
def gridded(draw, sets=TABLES):
    """A query that some table holds."""
    chosen = draw(st.sampled_from(sets))
    active = [i for i in chosen if draw(st.booleans())]
    shape = tuple(int(BLOCKS[i].max()) + 1 for i in active)
    bits = draw(
        st.lists(
            st.booleans(), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))
        )
    )
    table = np.array(bits, np.bool_).reshape(shape)
    return Query.build(SCHEMA, active, [BLOCKS[i] for i in active], table)


def exact(tables, joint, query):
    """The query's rows by a table of whole numbers, before they are rounded."""
    found = joint.grid.table_of(query)
    home = joint.home(found.active)
    algebra = joint.algebras[home]
    inside = np.broadcast_to(algebra.inside(query), algebra.shape).ravel()
    return Fraction(int(tables[algebra.id][inside].sum()), joint.denominator(home))
