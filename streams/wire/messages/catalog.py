"""The catalog: what may be asked of a dataset, and what an answer promises, in words.

All of it comes from the declaration and the settings; nothing in it was ever counted.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from streams.wire.messages.events import PLAN_BYTES, Event, Name, Number, Words
from streams.wire.messages.privacy import MeasureName, Said
from streams.wire.messages.tables import Probability

KindName = Literal["categorical", "boolean", "integer", "number", "date", "datetime"]
Edge = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | float | Said


class CatalogAttribute(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attribute: what a condition may say of it.

    Attributes:
        levels: labels in order, NULL left out; a bin's label names it in a table.
        edges: where bins begin and end, ascending, as values of the kind: numbers, or
            dates and moments as text. Level i lies in [edges[i], edges[i + 1]), or one
            further where ``outside`` has bins of its own. Empty for labels.
        outside: ``bins``: what lies beyond the edges has two more bins.
        other: the level that counts every value that is not listed.
        example: a condition on this attribute.
        left_out: levels (and edges) that are not shown because they are too many.
    """

    name: Words
    kind: KindName
    levels: tuple[Words, ...]
    edges: tuple[Edge, ...] = ()
    outside: Literal["error", "bins"] = "error"
    nullable: bool = False
    other: Words | None = None
    about: Words = ""
    example: Words = ""
    left_out: Number = 0


class Promise(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every answer promises, before any is asked for.

    Units: ``fresh`` in units of ``measure`` (µε for ``epsilon``).

    Attributes:
        fresh: price of one question that no algebra holds, the first time.
        changes_are_exact: True when two epochs differ by the true change.
        protects: whom the promise covers, in words.
    """

    rule: Said
    measure: MeasureName
    composition: Said
    adjacency: Said
    fresh: Number
    changes_are_exact: bool
    protects: Said


class Catalog(Event, frozen=True, kw_only=True):
    """What may be asked of one dataset; from its declaration, never from its rows.

    Attributes:
        fingerprint: of the schema; another declaration has another.
        cells: combinations of all levels.
        promise: None where no budget is named, as in a declaration alone.
        confidence: of an answer's interval, unless a question names its own.
        most_rows: rows of one table at most.
    """

    most_bytes: ClassVar[int] = PLAN_BYTES

    dataset: Name
    fingerprint: Name
    cells: Number
    attributes: tuple[CatalogAttribute, ...]
    about: Words = ""
    promise: Promise | None = None
    confidence: Probability
    most_rows: Number
