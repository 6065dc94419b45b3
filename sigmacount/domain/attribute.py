"""Attribute: one column of the rows and its finite, ordered list of levels."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import bins
from sigmacount.domain.coder import Bins, Coder, Flags, Labels
from sigmacount.errors import InvalidRow, InvalidSchema

Kind = Literal["categorical", "boolean", "integer", "number", "date", "datetime"]
BinnedKind = Literal["integer", "number", "date", "datetime"]
Outside = Literal["bins", "error"]
NULL: Final = "NULL"  # label of the level of missing values
MOST_LEVELS: Final = 2**17  # keeps a condition on one attribute within 16 KiB
FARTHEST: Final = 2**63  # batches hold positions in 64 bits


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column whose every value belongs to exactly one declared level.

    Levels are declared, never read off rows: their number is public, costs no
    budget and stays the same when the rows change. Build one with
    ``categorical``, ``boolean`` or ``binned``.

    Attributes:
        levels: labels in order: values or bins (below the first edge first, above
            the last one last), then ``other``, then ``NULL``.
        edges: ascending; level i lies in [edges[i], edges[i+1]). Units by kind:
            integer and number as they are, date proleptic ordinal days,
            datetime µs since 1970 UTC. None for labels.
        other: label of the level that takes undeclared values of a category.
        outside: what lies beyond the edges is refused, or has two outer bins.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...]
    edges: tuple[float, ...] | None = None
    nullable: bool = False
    other: str | None = None
    outside: Outside = "error"
    _coder: Coder = field(init=False, repr=False, compare=False)
    _by_label: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self)
        object.__setattr__(self, "_coder", _coder(self))
        by_label = {label: i for i, label in enumerate(self.levels)}
        object.__setattr__(self, "_by_label", by_label)

    @classmethod
    def categorical(
        cls,
        name: str,
        levels: Sequence[str],
        *,
        nullable: bool = False,
        other: str | None = None,
    ) -> Attribute:
        """A column of labels, each a level of its own."""
        extra = ([] if other is None else [other]) + [NULL] * nullable
        return cls(name, "categorical", (*levels, *extra), None, nullable, other)

    @classmethod
    def boolean(cls, name: str, *, nullable: bool = False) -> Attribute:
        """A column of truth values; false comes before true."""
        levels = ("false", "true", *[NULL] * nullable)
        return cls(name, "boolean", levels, None, nullable)

    @classmethod
    def binned(
        cls,
        name: str,
        kind: BinnedKind,
        edges: Sequence[object],
        *,
        nullable: bool = False,
        outside: Outside = "error",
    ) -> Attribute:
        """A column of numbers, days or instants, cut into half-open bins.

        Raises:
            InvalidSchema: edges of the wrong type, too few, or not ascending;
                the operator mends the declaration.
        """
        try:
            places = tuple(bins.line_position(kind, edge) for edge in edges)
            inner = bins.bin_labels(kind, places, outside) if places else ()
        except (KeyError, *bins.OFF_LINE) as wrong:
            msg = f"attribute {name!r}: its edges are no {kind} values ({wrong})."
            raise InvalidSchema(msg) from None
        levels = (*inner, *[NULL] * nullable)
        return cls(name, kind, levels, places, nullable, None, outside)

    @property
    def size(self) -> int:
        """Number of levels, ``other`` and ``NULL`` among them."""
        return len(self.levels)

    @property
    def null_code(self) -> int | None:
        """Level of missing values, the last one; None when they are refused."""
        return len(self.levels) - 1 if self.nullable else None

    @property
    def other_code(self) -> int | None:
        """Level of undeclared values; None when they are refused."""
        return None if self.other is None else len(self.levels) - 1 - self.nullable

    def level(self, label: str) -> int | None:
        """Level of a label, such as ``30-39``; None when no level bears it."""
        return self._by_label.get(label)

    def code(self, value: object) -> int:
        """Level of one value.

        Raises:
            InvalidRow: the value belongs to no level; the row is a dead letter.
        """
        try:
            return self._coder.code(value)
        except InvalidRow as refused:
            raise InvalidRow(refused.reason, self.name) from None

    def codes(self, values: Sequence[object]) -> NDArray[np.int64]:
        """Levels int64 (n,) of a batch; −1 where ``code`` would raise."""
        return self._coder.codes(values)


def _coder(attribute: Attribute) -> Coder:
    """What turns the values of this attribute into codes."""
    null_code = attribute.null_code
    if attribute.edges is not None:
        outer = attribute.outside == "bins"
        return Bins(attribute.kind, attribute.edges, null_code, outer=outer)
    if attribute.kind == "boolean":
        return Flags(null_code)
    named = attribute.levels[: len(attribute.levels) - attribute.nullable]
    return Labels(named, null_code, attribute.other_code)


def _check(attribute: Attribute) -> None:
    """Raise InvalidSchema for the first contradiction in a declaration."""
    faults = _level_faults, _edge_faults, _label_faults
    for wrong in itertools.chain.from_iterable(find(attribute) for find in faults):
        msg = f"attribute {attribute.name!r}: {wrong}"
        raise InvalidSchema(msg)


def _level_faults(attribute: Attribute) -> Iterator[str]:
    """What is wrong with the name, kind and levels, each with its remedy."""
    levels = attribute.levels
    if not attribute.name:
        yield "a name must not be empty."
    if attribute.kind not in get_args(Kind):
        yield f"kind must be one of {', '.join(get_args(Kind))}."
    if any(type(label) is not str or not label for label in levels):
        yield "levels are non-empty text; write numbers in quotes."
    if len(levels) == attribute.nullable:
        yield "it has no levels; declare one, or two edges, or one edge and outer bins."
    if len(levels) > MOST_LEVELS:
        yield f"it has {len(levels)} levels; widen bins to at most {MOST_LEVELS}."


def _edge_faults(attribute: Attribute) -> Iterator[str]:
    """What is wrong with the edges of bins, each with its remedy."""
    edges, outside = attribute.edges, attribute.outside
    if outside not in get_args(Outside):
        yield f"outside must be one of {', '.join(get_args(Outside))}."
    if (edges is None) == (attribute.kind in get_args(BinnedKind)):
        yield "edges belong to integer, number, date and datetime, and to no other."
    if edges is None:
        return
    if any(low >= high for low, high in itertools.pairwise(edges)):
        yield "edges must ascend, each above the one before."
    if attribute.kind != "number" and any(abs(edge) >= FARTHEST for edge in edges):
        yield "edges must lie within 64 bits."
    bins_declared = len(attribute.levels) - attribute.nullable
    if bins_declared != len(edges) + (1 if outside == "bins" else -1):
        yield "levels and edges disagree; build it with Attribute.binned."


def _label_faults(attribute: Attribute) -> Iterator[str]:
    """Levels that could not be told apart."""
    times = Counter(attribute.levels)
    if twice := [label for label in times if times[label] > 1]:
        yield f"level {twice[0]!r} is declared twice; name each level once."
