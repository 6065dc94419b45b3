"""Tabulate: a condition → the canonical set of cells that make it true."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.errors import QueryTooComplex
from sigmacount.predicates.logic import CONSTANT, Leaf, Logic
from sigmacount.sets import Blocks, Query, TruthTable, bounded, frozen

MOST_WORK: Final = 2**26  # bytes touched while combining conditions; tens of ms
SMALL: Final = 1024  # levels of attributes whose halves are remembered; 32 MiB at most


def query_of(schema: Schema, logic: Logic) -> Query:
    """Rows for which ``logic`` is true: neither false nor unknown, as in SQL WHERE.

    Raises:
        QueryTooComplex: more than 2^20 combinations of values, or more work than
            one query may take; checked before any is done.
    """
    leaves = list(_leaves(logic))
    sets = _distinct(leaves)
    _affordable(sum(len(s) * schema.sizes[i] for i, s in sets.items()))
    axes = {i: Axis(schema.sizes[i], sets[i]) for i in sorted(sets)}
    active = [i for i, axis in axes.items() if axis.count > 1]
    shape = [axes[i].count for i in active]
    bounded(shape)
    _affordable(len(leaves) * math.prod(shape))
    table = np.broadcast_to(_evaluated(logic, axes, active), shape)
    blocks = [axes[i].block for i in active]
    # One non-trivial condition on each of some attributes, joined by one operator:
    # both halves of every attribute differ, so nothing can be merged.
    if len(leaves) == len(active):
        return Query.canonical(schema, active, blocks, table)
    return Query.build(schema, active, blocks, table)


class Axis:
    """One attribute, cut as coarsely as the sets of levels that a query names.

    Shapes (r sets, k levels, b blocks):
        block    intp (k,)    block of every level, numbered by first appearance
        inside   bool (r, b)  whether block b lies inside set r
    """

    __slots__ = ("block", "count", "inside", "row")

    def __init__(self, size: int, sets: dict[int, int]) -> None:
        self.row = sets
        if len(sets) == 1:
            self.block, self.count, self.inside = _halves(size, *sets)
            return
        bits = _unpacked(size, sets)
        number: dict[object, int] = {}
        ids = [number.setdefault(each, len(number)) for each in _signatures(bits)]
        self.block = np.array(ids, np.intp)
        self.count = len(number)
        first = np.unique(self.block, return_index=True)[1]
        self.inside = bits[:, first].view(np.bool_)


def _halves(size: int, levels: int) -> tuple[Blocks, int, TruthTable]:
    """The axis of a single set: its levels, and the others."""
    return _remembered(size, levels) if size <= SMALL else _halved(size, levels)


def _halved(size: int, levels: int) -> tuple[Blocks, int, TruthTable]:
    bits = _unpacked(size, [levels])[0]
    block = frozen((bits ^ bits[0]).astype(np.intp))
    count = int(block.max()) + 1
    return block, count, frozen(np.array([[bits[0], not bits[0]]], np.bool_)[:, :count])


_remembered = lru_cache(maxsize=4096)(_halved)


def _unpacked(size: int, sets: Iterable[int]) -> NDArray[np.uint8]:
    """Bits (r, size): 1 where a set, itself bits of an integer, holds a level."""
    width = -(-size // 8)
    raw = b"".join([levels.to_bytes(width, "little") for levels in sets])
    packed = np.frombuffer(raw, np.uint8).reshape(-1, width)
    return np.unpackbits(packed, axis=1, count=size, bitorder="little")


def _leaves(logic: Logic) -> Iterator[Leaf]:
    """Every condition on one attribute, constants among them."""
    if isinstance(logic, Leaf):
        yield logic
    else:
        for part in logic.parts:
            yield from _leaves(part)


def _distinct(leaves: list[Leaf]) -> dict[int, dict[int, int]]:
    """For each attribute the sets of levels in use, numbered."""
    sets: dict[int, dict[int, int]] = {}
    for leaf in leaves:
        if leaf.attribute != CONSTANT:
            known = sets.setdefault(leaf.attribute, {})
            known.setdefault(leaf.true, len(known))
    return sets


def _affordable(work: int) -> None:
    """Raise QueryTooComplex for more work than one query may take."""
    if work > MOST_WORK:
        msg = (
            "the query combines too many conditions with too many values; use fewer"
            " attributes or split it"
        )
        raise QueryTooComplex(msg)


def _signatures(bits: NDArray[np.uint8]) -> list[object]:
    """For each level one value that tells in which sets (rows of bits) it is."""
    packed = np.packbits(bits, axis=0)
    if len(packed) == 1:
        return list(packed[0].tolist())
    width, raw = len(packed), packed.T.tobytes()
    return [raw[at : at + width] for at in range(0, len(raw), width)]


def _evaluated(logic: Logic, axes: dict[int, Axis], active: list[int]) -> TruthTable:
    """bool, one axis for each active attribute (broadcast): where logic is true."""
    if isinstance(logic, Leaf):
        return _entries(logic, axes, active)
    tables = (_evaluated(part, axes, active) for part in logic.parts)
    table: TruthTable = reduce(and_ if logic.every else or_, tables)
    return table


def _entries(leaf: Leaf, axes: dict[int, Axis], active: list[int]) -> TruthTable:
    """The table of one condition, of length one along all other axes."""
    shape = [1] * len(active)
    if leaf.attribute == CONSTANT:
        return np.full(shape, bool(leaf.true))
    axis = axes[leaf.attribute]
    if axis.count > 1:
        shape[active.index(leaf.attribute)] = axis.count
    inside: TruthTable = axis.inside[axis.row[leaf.true]]
    return inside.reshape(shape)
