"""Partitions of levels: what a set of queries tells apart, and nothing finer.

Those that arrive on the wire are read with suspicion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPlan
from sigmacount.sets.canonical import Blocks, TruthTable, frozen


class Partitioned(Protocol):
    """What cuts attributes into blocks: a query, or the cells of a table.

    Attributes:
        active: attributes that are cut, ascending.
        blocks: of the levels of each.
    """

    @property
    def schema(self) -> Schema:
        """Whose attributes they are."""
        ...

    @property
    def active(self) -> tuple[int, ...]: ...  # noqa: D102

    @property
    def blocks(self) -> tuple[Blocks, ...]: ...  # noqa: D102


Cuts = tuple[Sequence[int], Sequence[Blocks]]  # active attributes and their blocks
PartitionForm = tuple[tuple[int, ...], tuple[Blocks, ...], NDArray[np.intp] | None]
BITS: Final = 30  # queries told apart in one pass: their bits and an atom fit int64


def numbered(labels: Blocks) -> Blocks:
    """The same partition, numbered by first appearance, read-only.

    Shapes: intp (k,) in and out.
    """
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.intp)
    order[np.argsort(first)] = np.arange(len(first))
    return frozen(order[which])


def common(partitions: Iterable[Blocks]) -> Blocks:
    """The coarsest partition that every one of these can be read off.

    Shapes: intp (k,) each, at least one; result intp (k,) by first appearance.
    """
    first, *others = partitions
    together = first
    for other in others:
        together = numbered(together * (int(other.max()) + 1) + other)
    return numbered(together)


def refinement(cuts: Iterable[Cuts]) -> dict[int, Blocks]:
    """For each attribute that one of these constrains, the common refinement."""
    seen: dict[int, dict[bytes, Blocks]] = {}
    for active, blocks in cuts:
        for attribute, block in zip(active, blocks, strict=True):
            seen.setdefault(attribute, {})[block.tobytes()] = block
    return {i: common(seen[i].values()) for i in sorted(seen)}


def alike(shape: Sequence[int], tables: Iterable[TruthTable]) -> NDArray[np.intp]:
    """Class of every cell of a product: one class where all tables agree.

    Shapes:
        tables  bool, broadcastable to ``shape``
        result  intp (Π shape,) in C order, by first appearance
    """
    classes = np.zeros(math.prod(shape), np.intp)
    for count, table in enumerate(tables, start=1):
        classes *= 2
        classes += np.broadcast_to(table, shape).ravel()
        if count % BITS == 0:
            classes = np.array(numbered(classes))
    return numbered(classes)


def coarser_block_of(block: Blocks, level: Blocks, wanted: Blocks) -> Blocks | None:
    """The block of ``wanted`` that holds each block; None when it cuts one.

    Shapes: block, wanted intp (k,); level intp (b,), one level of each block;
    result intp (b,).
    """
    of_block = wanted[level]
    return of_block if of_block[block].tobytes() == wanted.tobytes() else None


def contracted(table: TruthTable, counts: Sequence[NDArray[np.intp]]) -> int:
    """Σ of Π counts over the True entries: finer cells that lie in the table.

    Shapes: table bool (b_1, …, b_j); counts intp (b_i,) each.
    """
    total: NDArray[np.integer | np.bool_] = table
    for weights in reversed(counts):
        total = total @ weights
    return int(total)


def fits(
    sizes: Sequence[int], blocks: Sequence[Blocks], merged: NDArray[np.intp] | None
) -> bool:
    """Whether these are canonical partitions of levels, and of their product."""
    parts = all(block.ndim == 1 and _tells_apart(block) for block in blocks)
    if not parts or [len(block) for block in blocks] != list(sizes):
        return False
    if merged is None:
        return True
    cells = math.prod(int(block.max()) + 1 for block in blocks)
    whole = merged.shape == (cells,) and np.array_equal(merged, numbered(merged))
    return whole and int(merged.max()) + 1 < cells


def _tells_apart(block: Blocks) -> bool:
    """Whether levels lie in two blocks or more, numbered by first appearance."""
    return bool(block.any()) and np.array_equal(block, numbered(block))


def blocks_from_wire(schema: Schema, form: Mapping[str, object]) -> PartitionForm:
    """Attributes, blocks and merged cells of an algebra from its JSON form.

    Raises:
        InvalidPlan: malformed, of another schema, or not canonical; the message
            becomes a dead letter and the old plan stays.
    """
    try:
        names: list[str] = list(form["attributes"])  # type: ignore[call-overload]
        rows: list[list[int]] = list(form["blocks"])  # type: ignore[call-overload]
        attributes = tuple(schema.names.index(name) for name in names)
        parts = tuple(frozen(np.array(row, np.intp)) for row in rows)
        cells = form["merged"]
        merged = None if cells is None else frozen(np.array(cells, np.intp))
    except (KeyError, TypeError, ValueError, OverflowError):
        msg = "the algebra on the wire is malformed or of another schema"
        raise InvalidPlan(msg) from None
    sizes = [schema.sizes[i] for i in attributes]
    ascending = attributes == tuple(sorted(set(attributes)))
    if not (ascending and fits(sizes, parts, merged)):
        msg = "the blocks on the wire are no partition of the schema's levels"
        raise InvalidPlan(msg)
    return attributes, parts, merged
