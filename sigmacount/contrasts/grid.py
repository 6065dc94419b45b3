"""Grid: one partition for each attribute, and the questions that fit it."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from sigmacount.contrasts.attribute_sets import AttributeSet, GriddedQuery, closure
from sigmacount.contrasts.rungs import (
    RUNG,
    ContrastSet,
    Ladder,
    Rung,
    attributes_of,
    factor_of,
)
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPlan
from sigmacount.sets import (
    Algebra,
    Blocks,
    Query,
    Workload,
    blocks_from_wire,
    coarser_block_of,
    common,
)

MOST_STEPS: Final = 16  # grids that were cut one after the other, on the wire
MOST_CELLS: Final = 2**22  # of the table over one set: 32 MiB while it is worked on
MOST_BLOCKS: Final = 2**11  # of one attribute: a basis of its contrasts has 32 MiB


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Blocks of levels, for every attribute that is measured: b_i > 1 each.

    All tables of one release are tables over this grid, so they agree on what a block
    is. Its law u is uniform: every block of attribute i has mass 1/b_i; where blocks
    were cut after they had been measured, their parts share the mass that they had.

    Make one with ``of`` or ``of_workload``, and one that is finer with ``cut_by``.

    Shapes:
        attributes  ascending
        blocks      intp (k_i,) each, the block of every level, by first appearance

    Attributes:
        coarser: the grid that it was cut from, if it was; it refines that.
        id: 16 hex digits, equal exactly when schema, blocks and coarser grids are.
    """

    schema: Schema
    attributes: AttributeSet
    blocks: tuple[Blocks, ...]
    coarser: Grid | None = None
    id: str = field(init=False)
    _axes: Mapping[int, Ladder] = field(init=False, repr=False)
    _level: Mapping[int, Blocks] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pairs = list(zip(self.attributes, self.blocks, strict=True))
        level = {i: np.unique(block, return_index=True)[1] for i, block in pairs}
        made = hashlib.blake2b(self.schema.fingerprint.encode(), digest_size=8)
        for i, block in pairs:
            made.update(f"|{i}:".encode() + block.astype("<i8").tobytes())
        axes = {i: Ladder.uniform(len(first)) for i, first in level.items()}
        if self.coarser:
            made.update(f"|{self.coarser.id}".encode())
            for i, wider in zip(
                self.coarser.attributes, self.coarser.blocks, strict=True
            ):
                axes[i] = self.coarser.axis(i).refined(wider[level[i]])
        object.__setattr__(self, "_level", level)
        object.__setattr__(self, "_axes", axes)
        object.__setattr__(self, "id", made.hexdigest())

    @staticmethod
    def of(schema: Schema, blocks: Mapping[int, Blocks]) -> Grid:
        """The grid of these partitions, but for those of one block or above 2^11."""
        product = [Algebra.product(schema, {i: blocks[i]}) for i in sorted(blocks)]
        fine = (a for a in product if a.attributes and a.size <= MOST_BLOCKS)
        kept = [(a.attributes[0], a.blocks[0]) for a in fine]
        return Grid(schema, tuple(i for i, _ in kept), tuple(b for _, b in kept))

    @staticmethod
    def of_workload(workload: Workload) -> Grid:
        """The common refinement of all cuts in a log."""
        pairs = zip(workload.attributes, workload.blocks, strict=True)
        return Grid.of(workload.schema, dict(pairs))

    def cut_by(self, finer: Grid) -> Grid:
        """The coarsest grid that both can be read off; itself, if it is that.

        What was measured over this one is a part of what is known over the new one. An
        attribute that would have more than 2^11 blocks stays as it is.
        """
        blocks = dict(zip(self.attributes, self.blocks, strict=True))
        for i, cuts in zip(finer.attributes, finer.blocks, strict=True):
            both = common([blocks[i], cuts]) if i in blocks else cuts
            blocks |= {i: both} if both.max() < MOST_BLOCKS else {}
        made = Grid.of(self.schema, blocks)
        return self if made == self.flat else replace(made, coarser=self)

    @property
    def flat(self) -> Grid:
        """The same blocks under the uniform law, whatever was measured before."""
        return replace(self, coarser=None) if self.coarser else self

    @property
    def steps(self) -> tuple[Grid, ...]:
        """The grids that were cut one after the other, itself the last."""
        return (*self.coarser.steps, self) if self.coarser else (self,)

    def axis(self, attribute: int) -> Ladder:
        """The rungs of one attribute."""
        return self._axes[attribute]

    def axes(self, attributes: Iterable[int]) -> tuple[Ladder, ...]:
        """Of each of these."""
        return tuple(self._axes[i] for i in attributes)

    def rungs(self, contrasts: ContrastSet) -> tuple[Rung, ...]:
        """Those that these contrasts are of; KeyError, IndexError: it has them not."""
        return tuple(self._axes[f % RUNG].rungs[f // RUNG] for f in contrasts)

    def size_of(self, attribute: int) -> int:
        """b_i: blocks of one attribute of the grid."""
        return self._axes[attribute].size

    def shape(self, attributes: Iterable[int]) -> tuple[int, ...]:
        """b_i of each of these."""
        return tuple(self._axes[i].size for i in attributes)

    def shape_of(self, contrasts: ContrastSet) -> tuple[int, ...]:
        """Blocks that these contrasts compare: b_i, but for rungs with later ones."""
        return tuple(rung.size for rung in self.rungs(contrasts))

    def cells(self, attributes: Iterable[int]) -> int:
        """N_U = Π b_i: cells of the table over these."""
        return math.prod(self.shape(attributes))

    def contrasts(self, contrasts: ContrastSet) -> int:
        """p_S: how many contrasts are of exactly these, Π (b_i − 1) of first rungs."""
        return math.prod(rung.contrasts for rung in self.rungs(contrasts))

    def sets_within(self, tables: Iterable[AttributeSet]) -> tuple[ContrastSet, ...]:
        """All sets of contrasts over the subsets of these, by attributes and rungs."""
        return tuple(
            tuple(map(factor_of, each, chosen))
            for each in closure(tables)
            for chosen in itertools.product(*(range(a.height) for a in self.axes(each)))
        )

    def holds(self, contrasts: ContrastSet, shape: tuple[int, ...]) -> bool:
        """Whether these are contrasts of the grid, ascending, of so many blocks."""
        over = attributes_of(contrasts)
        try:
            found = self.shape_of(contrasts)
        except (KeyError, IndexError):
            return False
        return over == tuple(sorted(set(over))) and found == shape

    def within_reach(self, attributes: Iterable[int]) -> bool:
        """Whether it has them all, and their table has no more than 2^22 cells."""
        chosen = tuple(attributes)
        return {*chosen} <= self._axes.keys() and self.cells(chosen) <= MOST_CELLS

    def refines(self, attributes: AttributeSet, blocks: Sequence[Blocks]) -> bool:
        """Whether every one of these partitions can be read off the grid's."""
        own = dict(zip(self.attributes, self.blocks, strict=True))
        return all(
            i in own and coarser_block_of(own[i], self._level[i], wanted) is not None
            for i, wanted in zip(attributes, blocks, strict=True)
        )

    def algebra(self, attributes: Iterable[int]) -> Algebra:
        """The product algebra over these: its atoms are the table's cells, C order."""
        blocks = dict(zip(self.attributes, self.blocks, strict=True))
        return Algebra.product(self.schema, {i: blocks[i] for i in attributes})

    def table_of(self, query: Query) -> GriddedQuery | None:
        """The query over the blocks; None: it does not fit.

        It cuts a block, its table would have more than 2^22 cells, or it is of another
        schema.
        """
        if query.schema.fingerprint != self.schema.fingerprint:
            return None
        if not self.within_reach(query.active):
            return None
        blocks = dict(zip(self.attributes, self.blocks, strict=True))
        table = query.table
        for axis, (i, wanted) in enumerate(
            zip(query.active, query.blocks, strict=True)
        ):
            held = coarser_block_of(blocks[i], self._level[i], wanted)
            if held is None:
                return None
            table = table.take(held, axis)
        return GriddedQuery(query.active, table)

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form; ``from_wire`` reads it."""
        form: dict[str, object] = {
            "attributes": [self.schema.names[i] for i in self.attributes],
            "blocks": [block.tolist() for block in self.blocks],
        }
        return form | ({"coarser": self.coarser.to_wire()} if self.coarser else {})

    @staticmethod
    def from_wire(schema: Schema, form: object) -> Grid:
        """The grid of ``to_wire``; however many cells all attributes together have.

        Raises:
            InvalidPlan: malformed, or of another schema; the message becomes a dead
                letter and the old plan stays.
        """
        forms: list[object] = [form]
        while isinstance(forms[0], Mapping) and "coarser" in forms[0]:
            forms.insert(0, forms[0]["coarser"])
            _refuse_unless(len(forms) <= MOST_STEPS)
        made: Grid | None = None
        for each in forms:
            product = {**each, "merged": None} if isinstance(each, Mapping) else {}
            attributes, blocks, _ = blocks_from_wire(schema, product)
            _refuse_unless(all(block.max() < MOST_BLOCKS for block in blocks))
            flat = Grid(schema, attributes, blocks)
            finer = made.cut_by(flat) if made else flat
            _refuse_unless(finer is not made and finer.flat == flat)
            made = finer
        return finer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


def _refuse_unless(fine: bool) -> None:  # noqa: FBT001 - a sentence
    if not fine:
        msg = "the grid on the wire is malformed, or does not refine its coarser one"
        raise InvalidPlan(msg)
