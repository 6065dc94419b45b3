"""Query: a set of cells as a value; equal spellings of one set are one value."""

from __future__ import annotations

import base64
import binascii
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.sets.alignment import aligned, within
from sigmacount.sets.canonical import Blocks, TruthTable, bounded, coarsest, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A predicate A on attributes, in canonical form (Definition 2).

    Equality, order and complement are those of sets of cells, however the set was
    written. Make one with ``parse``, ``build`` or an operation on others.

    Shapes (attribute i has k_i levels in b_i blocks):
        active  j ints, ascending  attributes that truly constrain the query, a(A)
        blocks  intp (k_i,) each   coarsest partition of the levels, numbered by
                                   first appearance
        table   bool (b_1, …, b_j) True where A holds; () for all or nothing

    Attributes:
        key: 32 hex digits, equal exactly when schema and set are equal.
    """

    schema: Schema
    active: tuple[int, ...]
    blocks: tuple[Blocks, ...]
    table: TruthTable
    key: str

    @staticmethod
    def build(
        schema: Schema,
        active: Sequence[int],
        blocks: Sequence[Blocks],
        table: TruthTable,
    ) -> Query:
        """The query that holds the cells whose blocks are True in ``table``.

        Any partition will do; ``active`` ascends. The result is canonical.

        Raises:
            QueryTooComplex: the table has more than 2^20 entries.
            ValueError: ``active`` does not ascend; a fault of the calling code.
        """
        if any(one >= two for one, two in itertools.pairwise(active)):
            msg = "active attributes must ascend"
            raise ValueError(msg)
        bounded(table.shape)
        return Query.canonical(schema, *coarsest(active, blocks, table))

    @staticmethod
    def canonical(
        schema: Schema,
        active: Sequence[int],
        blocks: Sequence[Blocks],
        table: TruthTable,
    ) -> Query:
        """The query of a form that is canonical already, which is not checked."""
        form = tuple(active), tuple(blocks), frozen(table)
        return Query(schema, *form, _key(schema, *form))

    @staticmethod
    def everything(schema: Schema) -> Query:
        """Every row: the whole domain Ω."""
        return Query.build(schema, (), (), np.array(True))  # noqa: FBT003

    @staticmethod
    def nothing(schema: Schema) -> Query:
        """No row: the empty set."""
        return Query.build(schema, (), (), np.array(False))  # noqa: FBT003

    @property
    def empty(self) -> bool:
        """Whether no row can ever be in it: its count is 0 in every table."""
        return not self.table.any()

    @property
    def vector(self) -> NDArray[np.bool_]:
        """1_A: bool (p,), True for attributes that constrain (equation 10)."""
        marked = np.zeros(len(self.schema.sizes), np.bool_)
        marked[list(self.active)] = True
        return frozen(marked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def complement(self) -> Query:
        """Every cell that this query does not hold, missing values among them."""
        return Query.canonical(self.schema, self.active, self.blocks, ~self.table)

    def union(self, other: Query) -> Query:
        """Cells of either; raises QueryTooComplex beyond 2^20 combinations."""
        active, blocks, mine, theirs = aligned(self, other)
        return Query.build(self.schema, active, blocks, mine | theirs)

    def intersection(self, other: Query) -> Query:
        """Cells of both; raises QueryTooComplex beyond 2^20 combinations."""
        active, blocks, mine, theirs = aligned(self, other)
        return Query.build(self.schema, active, blocks, mine & theirs)

    def issubset(self, other: Query) -> bool:
        """A₁ ⊆ A₂; raises QueryTooComplex beyond 2^20 combinations."""
        return within(self, other)

    def contains_levels(self, levels: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether A holds, bool (n,), the cells with these levels (n, p)."""
        return self._looked_up(len(levels), [levels[:, i] for i in self.active])

    def contains(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether A holds, bool (n,), the cells with these codes (n,)."""
        columns = [self.schema.column(codes, i) for i in self.active]
        return self._looked_up(len(codes), columns)

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form, equal for equal sets; ``from_wire`` reads it."""
        packed = np.packbits(self.table).tobytes()
        return {
            "active": [self.schema.names[i] for i in self.active],
            "blocks": [block.tolist() for block in self.blocks],
            "table": base64.b64encode(packed).decode(),
        }

    @staticmethod
    def from_wire(schema: Schema, wire: Mapping[str, object]) -> Query:
        """The query of ``to_wire``.

        Raises:
            InvalidPredicate: not such a form, or not of this schema; the message
                becomes a dead letter.
        """
        try:
            active = [schema.names.index(name) for name in wire["active"]]  # type: ignore[attr-defined]
            blocks = [np.array(block, np.intp) for block in wire["blocks"]]  # type: ignore[attr-defined]
            shape = _shape(schema, active, blocks)
            bounded(shape)
            packed = base64.b64decode(wire["table"], validate=True)  # type: ignore[arg-type]
            table = _unpacked(packed, shape)
        except (KeyError, TypeError, ValueError, OverflowError, binascii.Error):
            msg = "the query on the wire is malformed or of another schema"
            raise InvalidPredicate(msg) from None
        return Query.build(schema, active, blocks, table)

    def __repr__(self) -> str:
        names = ", ".join(self.schema.names[i] for i in self.active)
        held = int(self.table.sum())
        return (
            f"<Query {self.key[:8]}: {held} of {self.table.size} blocks of ({names})>"
        )

    def _looked_up(
        self, count: int, columns: Sequence[NDArray[np.integer]]
    ) -> NDArray[np.bool_]:
        """Table entries (count,) of cells given by their active columns."""
        entry = np.zeros(count, np.intp)
        for column, block, size in zip(
            columns, self.blocks, self.table.shape, strict=True
        ):
            entry *= size
            entry += block[column]
        return self.table.ravel()[entry]


def _key(
    schema: Schema,
    active: tuple[int, ...],
    blocks: tuple[Blocks, ...],
    table: TruthTable,
) -> str:
    """Digest of the canonical form; sizes are the schema's, so no separators."""
    digest = hashlib.blake2b(schema.fingerprint.encode(), digest_size=16)
    digest.update(np.array(active, "<i4").tobytes() + b"|")
    for block in blocks:
        digest.update(block.astype("<i4").tobytes())
    digest.update(np.packbits(table).tobytes())
    return digest.hexdigest()


def _shape(schema: Schema, active: list[int], blocks: list[Blocks]) -> tuple[int, ...]:
    """Shape of the table of these blocks; ValueError unless they fit the schema."""
    sizes = [schema.sizes[i] for i in active]
    if active != sorted(set(active)) or [b.shape for b in blocks] != [
        (k,) for k in sizes
    ]:
        raise ValueError
    if any((block < 0).any() for block in blocks):
        raise ValueError
    return tuple(int(block.max()) + 1 for block in blocks)


def _unpacked(packed: bytes, shape: tuple[int, ...]) -> TruthTable:
    """A table from its bits; ValueError when there are too few or too many."""
    count = int(np.prod(shape, dtype=np.int64))
    if len(packed) != -(-count // 8):
        raise ValueError
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=count)
    return bits.astype(np.bool_).reshape(shape)
