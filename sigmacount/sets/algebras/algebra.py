"""Algebra: the atoms that the queries of one group leave whole, (Ω_k, F_k)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.errors import AlgebraTooLarge, NotInAlgebra
from sigmacount.sets import partitions
from sigmacount.sets.canonical import Blocks, TruthTable
from sigmacount.sets.query import Query

MOST_CELLS: Final = 2**26  # product cells of one algebra: 512 MiB of counts


@dataclass(frozen=True, slots=True, eq=False)
class Algebra:
    """The sigma-algebra (Ω, F) of a product of blocks (paper §3.1).

    A cell of the domain lies in one product cell: one block for each attribute.
    Product cells are the atoms, or are merged into fewer. Ω is read off the schema
    and the queries, never off rows: |Ω| is public, and an empty atom is an atom.

    Make one with ``product``, ``full``, ``covering`` or ``induced_by``.

    Shapes (attribute i of S has k_i levels in b_i > 1 blocks; K atoms):
        attributes  |S| ints, ascending
        blocks      intp (k_i,) each   block of every level, by first appearance
        merged      intp (Π b_i,)      atom of every product cell in C order, by
                                       first appearance; None: nothing is merged
        shape       b_1, …, b_|S|
        levels      intp (b_i,) each   the first level of every block

    Attributes:
        size: |Ω| = K.
        id: 16 hex digits, equal exactly when schema and atoms are equal.
    """

    schema: Schema
    attributes: tuple[int, ...]
    blocks: tuple[Blocks, ...]
    merged: NDArray[np.intp] | None = None
    shape: tuple[int, ...] = field(init=False)
    size: int = field(init=False)
    id: str = field(init=False)
    levels: tuple[Blocks, ...] = field(init=False, repr=False)
    _cell: NDArray[np.intp] | None = field(init=False, repr=False)  # one of every atom

    def __post_init__(self) -> None:
        level = tuple(np.unique(b, return_index=True)[1] for b in self.blocks)
        shape = tuple(len(each) for each in level)
        if (cells := math.prod(shape)) > MOST_CELLS:
            raise AlgebraTooLarge(cells, MOST_CELLS)
        cell = None
        if self.merged is not None:
            cell = np.unique(self.merged, return_index=True)[1]
        derived = {
            "shape": shape,
            "size": cells if cell is None else len(cell),
            "levels": level,
            "_cell": cell,
        }
        for key, value in derived.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "id", _id(self))

    @staticmethod
    def product(schema: Schema, blocks: Mapping[int, Blocks]) -> Algebra:
        """Every combination of a block of each attribute is one atom.

        Any numbering of the blocks will do; an attribute with one block is left out.

        Raises:
            AlgebraTooLarge: more than 2^26 product cells.
        """
        numbered = {i: partitions.numbered(blocks[i]) for i in sorted(blocks)}
        kept = {i: block for i, block in numbered.items() if block.any()}
        return Algebra(schema, tuple(kept), tuple(kept.values()))

    @staticmethod
    def full(schema: Schema, attributes: Iterable[int]) -> Algebra:
        """Every combination of levels of these attributes is one atom."""
        levels = {i: np.arange(schema.sizes[i], dtype=np.intp) for i in attributes}
        return Algebra.product(schema, levels)

    @staticmethod
    def covering(schema: Schema, queries: Iterable[Query]) -> Algebra:
        """The smallest product algebra that holds all these queries."""
        cuts = ((query.active, query.blocks) for query in queries)
        return Algebra.product(schema, partitions.refinement(cuts))

    @staticmethod
    def induced_by(schema: Schema, queries: Iterable[Query]) -> Algebra:
        """The smallest algebra that holds all these queries (Algorithm 2, line 1).

        Two cells share an atom exactly when every query treats them alike.

        Raises:
            AlgebraTooLarge: its product has more than 2^26 cells.
        """
        queries = tuple(queries)
        product = Algebra.covering(schema, queries)
        alike = partitions.alike(product.shape, (product.inside(q) for q in queries))
        merged = None if alike.size == alike.max() + 1 else alike
        return Algebra(schema, product.attributes, product.blocks, merged)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Algebra) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __contains__(self, query: Query) -> bool:
        """Whether the query is in F: a union of atoms."""
        try:
            self.count_atoms(query)
        except NotInAlgebra:
            return False
        return True

    def atoms_of(self, query: Query) -> NDArray[np.intp]:
        """Ids (m,), ascending, of the atoms whose union is the query.

        Raises:
            NotInAlgebra: the query cuts an atom, so it is not in F; Algorithm 4
                line 5 then answers it with fresh noise.
        """
        inside = np.broadcast_to(self.inside(query), self.shape)
        if self.merged is None or self._cell is None:
            return np.flatnonzero(inside)
        taken = inside.ravel()[self._cell]
        if not np.array_equal(taken[self.merged], inside.ravel()):
            msg = "the query cuts a merged atom"
            raise NotInAlgebra(msg)
        return np.flatnonzero(taken)

    def count_atoms(self, query: Query) -> int:
        """M(A): of how many atoms the query is the union.

        Raises:
            NotInAlgebra: the query cuts an atom.
        """
        if self.merged is not None:
            return len(self.atoms_of(query))
        rest, counts = self.size, []
        for held, share in zip(self.held(query), query.table.shape, strict=True):
            rest //= len(held)
            counts.append(np.bincount(held, minlength=share))
        return rest * partitions.contracted(query.table, counts)

    def inside(self, query: Query) -> TruthTable:
        """Product cells that lie in the query, unless a merge cuts it.

        Shapes: bool, broadcastable to ``shape``: 1 where the query has no say.

        Raises:
            NotInAlgebra: the query cuts a product cell.
        """
        table = query.table
        for axis, held in enumerate(self.held(query)):
            table = table.take(held, axis)
        active = frozenset(query.active)
        pairs = zip(self.attributes, self.shape, strict=True)
        return table.reshape([b if i in active else 1 for i, b in pairs])

    def held(self, query: partitions.Partitioned) -> list[Blocks]:
        """For each active attribute, the query's block (b_i,) of each own block.

        Raises:
            NotInAlgebra: an attribute is missing, or a cut falls inside a block.
        """
        if query.schema is not self.schema and (
            query.schema.fingerprint != self.schema.fingerprint
        ):
            msg = "the query is of another schema"
            raise NotInAlgebra(msg)
        found = []
        for attribute, wanted in zip(query.active, query.blocks, strict=True):
            if attribute not in self.attributes:
                msg = f"attribute {self.schema.names[attribute]!r} is not in it"
                raise NotInAlgebra(msg)
            axis = self.attributes.index(attribute)
            of_block = partitions.coarser_block_of(
                self.blocks[axis], self.levels[axis], wanted
            )
            if of_block is None:
                msg = f"a cut of attribute {self.schema.names[attribute]!r} is finer"
                raise NotInAlgebra(msg)
            found.append(of_block)
        return found

    def atom_of_levels(self, levels: NDArray[np.integer]) -> NDArray[np.intp]:
        """Atoms (n,) of the cells with these levels (n, p)."""
        return self._atoms(len(levels), [levels[:, i] for i in self.attributes])

    def atom_of(self, codes: NDArray[np.int64]) -> NDArray[np.intp]:
        """Atoms (n,) of the cells with these codes (n,)."""
        columns = [self.schema.column(codes, i) for i in self.attributes]
        return self._atoms(len(codes), columns)

    def _atoms(
        self, count: int, columns: Sequence[NDArray[np.integer]]
    ) -> NDArray[np.intp]:
        """Atoms (count,) of cells given by their columns; steps are premultiplied."""
        atoms = np.zeros(count, np.intp)
        step = math.prod(self.shape)
        for column, block, size in zip(columns, self.blocks, self.shape, strict=True):
            step //= size
            atoms += (block * step)[column]
        return atoms if self.merged is None else self.merged[atoms]

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form; ``from_wire`` reads it."""
        return {
            "attributes": [self.schema.names[i] for i in self.attributes],
            "blocks": [block.tolist() for block in self.blocks],
            "merged": None if self.merged is None else self.merged.tolist(),
        }

    @staticmethod
    def from_wire(schema: Schema, form: Mapping[str, object]) -> Algebra:
        """The algebra of ``to_wire``.

        Raises:
            InvalidPlan: malformed, or of another schema; the message becomes a dead
                letter and the old plan stays.
            AlgebraTooLarge: more than 2^26 product cells.
        """
        return Algebra(schema, *partitions.blocks_from_wire(schema, form))


def _id(algebra: Algebra) -> str:
    """Digest of what tells cells apart; level counts are the schema's."""
    digest = hashlib.blake2b(algebra.schema.fingerprint.encode(), digest_size=8)
    digest.update(np.array(algebra.attributes, "<i4").tobytes() + b"|")
    for block in algebra.blocks:
        digest.update(block.astype("<i4").tobytes())
    if algebra.merged is not None:
        digest.update(b"|" + algebra.merged.astype("<i4").tobytes())
    return digest.hexdigest()
