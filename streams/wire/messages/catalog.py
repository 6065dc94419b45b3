"""The catalog: what may be asked of a dataset, and what an answer promises, in words.

All of it comes from the declaration and the settings; nothing in it was ever counted.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from streams.wire.messages.events import PLAN_BYTES, Event, Name, Number, Words
from streams.wire.messages.privacy import MeasureName, OwnerPromise, Said
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


class PromiseOverTime(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all charges together promise a row that changes, counted over time.

    Attributes:
        mechanism: of the noise.
        horizon: epochs that it is rated for; past them errors grow faster.
        tick_seconds: from one epoch to the next.
        epsilon_by_changes: ε of a row with surely at most so many changes, whatever is
            asked and planned, at the δ of the promise.
        changes_limit: how many changes of a row are counted; None: no limit.
        owner: of somebody with several rows; None: their number is not bounded.
        counted_from: what was shown before this epoch is counted as lost; None:
            nothing is.
    """

    mechanism: Said
    horizon: Number
    tick_seconds: float
    epsilon_by_changes: dict[str, float]
    changes_limit: Number | None = None
    owner: OwnerPromise | None = None
    counted_from: Number | None = None


class Promise(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every answer promises, before any is asked for.

    Units: ``fresh`` and ``total`` in units of ``measure`` (µε for ``epsilon``, 1e-12 ρ
    for ``rho``).

    Attributes:
        fresh: price of one question that no algebra holds, the first time.
        changes_are_exact: True when two epochs differ by the true change.
        protects: whom the promise covers, in words.
        total: all that may ever be charged; None: an older version did not say.
        epsilon: what all charges together promise, whatever is asked …
        delta: … at this δ; None: in pure ε.
        over_time: of a rule that protects every change; None: of another.
    """

    rule: Said
    measure: MeasureName
    composition: Said
    adjacency: Said
    fresh: Number
    changes_are_exact: bool
    protects: Said
    total: Number | None = None
    epsilon: float | None = None
    delta: float | None = None
    over_time: PromiseOverTime | None = None


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
