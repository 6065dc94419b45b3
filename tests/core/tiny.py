"""A domain of 48 cells, and queries and algebras over it, drawn at random."""

import numpy as np
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group
from sigmacount.sets import Algebra, Query, WeightedQuery

SIZES = (3, 2, 4, 2)
SCHEMA = Schema(
    "tiny",
    tuple(
        Attribute.categorical(name, [f"{name}{level}" for level in range(size)])
        for name, size in zip("abcd", SIZES, strict=True)
    ),
)
OTHER = Schema("other", SCHEMA.attributes)
CELLS = np.arange(SCHEMA.cells)
subsets = st.sets(st.sampled_from(range(len(SIZES)))).map(sorted)


def labels(size):
    """Any labels of the levels of an attribute, some of them equal."""
    return st.lists(st.integers(0, size - 1), min_size=size, max_size=size).map(
        lambda chosen: np.unique(chosen, return_inverse=True)[1].astype(np.intp)
    )


@st.composite
def tables(draw, shape):
    """Any truth table of this shape: its bits are drawn at once."""
    size = int(np.prod(shape))
    drawn = draw(st.binary(min_size=-(-size // 8), max_size=-(-size // 8)))
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8))
    return bits[:size].reshape(shape).astype(np.bool_)


def vectors(size, most):
    """int64 (size,) of 0 to ``most``, at most 255: drawn at once."""
    return st.binary(min_size=size, max_size=size).map(
        lambda drawn: np.frombuffer(drawn, np.uint8).astype(np.int64) % (most + 1)
    )


@st.composite
def queries(draw, active=subsets):
    """A query on some attributes, with any blocks and any table."""
    chosen = draw(active)
    blocks = [draw(labels(SIZES[i])) for i in chosen]
    shape = tuple(int(block.max()) + 1 for block in blocks)
    return Query.build(SCHEMA, chosen, blocks, draw(tables(shape)))


@st.composite
def products(draw, attributes=subsets):
    """A product algebra on some attributes."""
    return Algebra.product(
        SCHEMA, {i: draw(labels(SIZES[i])) for i in draw(attributes)}
    )


induced = st.lists(queries(), min_size=1, max_size=4).map(
    lambda drawn: Algebra.induced_by(SCHEMA, drawn)
)
algebras = products() | induced
groups = st.builds(
    Group, algebras, st.integers(10_000, 900_000).map(DiscreteLaplace.costing)
)
weights = st.just(0.0) | st.floats(0.01, 50)
logs = st.lists(st.builds(WeightedQuery, queries(), weights), max_size=8)


@st.composite
def members(draw, algebra):
    """A query that the product of an algebra holds, on some of its attributes."""
    axes = [k for k in range(len(algebra.shape)) if draw(st.booleans())]
    joined = [draw(labels(algebra.shape[k])) for k in axes]
    shape = tuple(int(each.max()) + 1 for each in joined)
    table = draw(tables(shape))
    blocks = [each[algebra.blocks[k]] for k, each in zip(axes, joined, strict=True)]
    return Query.build(SCHEMA, [algebra.attributes[k] for k in axes], blocks, table)


def held(query):
    """Bool (48,): the cells of a query, one by one."""
    return query.contains(CELLS)


def is_union(algebra, query):
    """Whether no atom is cut, by looking at every cell."""
    atoms = algebra.atom_of(CELLS)
    cut = {(atom, inside) for atom, inside in zip(atoms, held(query), strict=True)}
    return len(cut) == algebra.size


def binary(width, count, seed=0):
    """The paper's log: each column asks for 1, 0 or both, with 0.05, 0.05, 0.9."""
    schema = Schema("bits", tuple(Attribute.boolean(f"x{i}") for i in range(width)))
    drawn = np.random.default_rng(seed).choice(3, (count, width), p=(0.05, 0.05, 0.9))
    rows, times = np.unique(drawn, axis=0, return_counts=True)
    log = []
    for row, weight in zip(rows, times.tolist(), strict=True):
        active = np.flatnonzero(row < 2).tolist()
        table = np.zeros((2,) * len(active), np.bool_)
        table[tuple(row[active])] = True
        query = Query.build(schema, active, [np.arange(2)] * len(active), table)
        log.append(WeightedQuery(query, weight))
    return schema, log
