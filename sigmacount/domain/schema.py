"""Schema: the declared domain; rows become cells, cells become levels."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import suggestions
from sigmacount.domain.attribute import NULL, Attribute
from sigmacount.domain.coder import MISSING, REFUSED, WRONG_TYPE
from sigmacount.errors import DomainTooLarge, InvalidRow, InvalidSchema

__all__ = ["MISSING", "NULL", "Attribute", "Schema"]

MOST_CELLS: Final = 2**63  # a cell code must fit a signed 64-bit integer
COSTLIEST: Final = 5  # attributes named when the domain is too large


@dataclass(frozen=True, slots=True)
class Schema:
    """The domain of a dataset: the product of the levels of its attributes.

    A cell is one choice of a level for every attribute; its code is the
    mixed-radix number of those levels, the last attribute counting by one.

    Shapes (p attributes, n rows):
        sizes    p ints   levels of each attribute
        strides  p ints   what one level more adds to a cell code
    """

    name: str
    attributes: tuple[Attribute, ...]
    sizes: tuple[int, ...] = field(init=False, repr=False, compare=False)
    strides: tuple[int, ...] = field(init=False, repr=False, compare=False)
    cells: int = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    fingerprint: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        attributes = tuple(self.attributes)
        sizes = tuple(attribute.size for attribute in attributes)
        known = tuple(attribute.name for attribute in attributes)
        _check(self.name, known, sizes)
        *strides, cells = accumulate(reversed(sizes), int.__mul__, initial=1)
        derived = {
            "attributes": attributes,
            "sizes": sizes,
            "strides": tuple(reversed(strides)),
            "cells": cells,
            "names": known,
            "fingerprint": _fingerprint(self.name, attributes),
        }
        for key, value in derived.items():
            object.__setattr__(self, key, value)

    def index(self, name: str) -> int:
        """Which attribute bears this name.

        Raises:
            UnknownName: none does; the text offers the closest names.
        """
        return suggestions.find_name(name, self.names, "attribute")

    def cell_codes(self, columns: Sequence[Sequence[object]]) -> NDArray[np.int64]:
        """Cells int64 (n,) of n rows given as one column per attribute, in order.

        A row that belongs to no cell has code −1; ``cell_code`` tells why.

        Raises:
            ValueError: columns of different lengths or of another number; a
                fault of the calling code.
        """
        if len({len(column) for column in columns}) > 1:
            msg = "columns of one batch must have one length"
            raise ValueError(msg)
        cells = np.zeros(len(columns[0]), np.int64)
        refused = np.zeros(len(columns[0]), np.bool_)
        pairs = zip(self.attributes, self.strides, columns, strict=True)
        for attribute, stride, column in pairs:
            codes = attribute.codes(column)
            refused |= codes == REFUSED
            cells += codes * stride
        cells[refused] = REFUSED
        return cells

    def cell_code(self, row: Mapping[str, object]) -> int:
        """Cell of one row; keys that are no attribute are ignored.

        Raises:
            InvalidRow: a value is absent or belongs to no level; the row becomes
                a dead letter that names attribute and reason.
        """
        if not isinstance(row, Mapping):
            raise InvalidRow(WRONG_TYPE)
        pairs = zip(self.attributes, self.strides, strict=True)
        return sum(a.code(row.get(a.name, MISSING)) * stride for a, stride in pairs)

    def levels_of(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Levels int32 (n, p), column-major, of the cells int64 (n,)."""
        levels = np.empty((len(codes), len(self.sizes)), np.int32, order="F")
        for i, size in reversed(list(enumerate(self.sizes))):
            rest = codes // size
            levels[:, i] = codes - rest * size
            codes = rest
        return levels

    def column(self, codes: NDArray[np.int64], attribute: int) -> NDArray[np.int32]:
        """Levels int32 (n,) of one attribute of the cells int64 (n,)."""
        stride, size = self.strides[attribute], self.sizes[attribute]
        return (codes // stride % size).astype(np.int32)


def _check(name: str, known: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    """Raise for a schema without name or attributes, with twins, or too large."""
    if not name or not known:
        msg = "a dataset needs a name and at least one attribute."
        raise InvalidSchema(msg)
    if twice := sorted({each for each in known if known.count(each) > 1}):
        msg = f"attribute {twice[0]!r} is declared twice; name each one once."
        raise InvalidSchema(msg)
    cells = math.prod(sizes)
    if cells >= MOST_CELLS:
        ranked = sorted(zip(known, sizes, strict=True), key=lambda pair: -pair[1])
        raise DomainTooLarge(cells, tuple(ranked[:COSTLIEST]))


def _fingerprint(name: str, attributes: tuple[Attribute, ...]) -> str:
    """Digest of everything that gives a cell code its meaning."""
    declared = [
        [a.name, a.kind, a.levels, a.edges, a.nullable, a.other, a.outside]
        for a in attributes
    ]
    canonical = json.dumps([name, declared], separators=(",", ":"))
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
