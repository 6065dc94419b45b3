"""What a catalog says: attributes, levels, examples and the promise, never a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from config.declarations.datasets import Dataset
from sigmacount.domain import Attribute, Schema, line_constant
from sigmacount.language import describe
from sigmacount.release import CONFIDENCE
from sigmacount.sets import Query
from streams.wire.codec import encode
from streams.wire.messages.catalog import Catalog, CatalogAttribute, Edge, Promise
from streams.wire.messages.events import PLAN_BYTES
from streams.wire.messages.tables import MOST_ROWS

MOST_SHOWN: Final = 2**17  # as many levels as one attribute may have
LONGEST_EXAMPLE: Final = 200  # characters that a person reads at a glance
LONGEST_LABEL: Final = 2**12  # characters; a condition of 16 KiB should hold a few


def catalog_of(
    dataset: Dataset,
    promise: Promise | None = None,
    confidence: float = CONFIDENCE,
    most_bytes: int = PLAN_BYTES,
) -> Catalog:
    """What may be asked of a dataset; long lists of levels are cut to fit a message.

    ``promise`` is None where no budget is named: then nothing is promised.
    """
    shown = MOST_SHOWN
    while True:
        made = _catalog(dataset, promise, confidence, shown)
        if len(encode(made)) + 2**10 <= most_bytes or not shown:
            return made
        shown //= 2


def _catalog(
    dataset: Dataset, promise: Promise | None, confidence: float, shown: int
) -> Catalog:
    schema = dataset.schema
    return Catalog(
        dataset=schema.name,
        fingerprint=schema.fingerprint,
        cells=schema.cells,
        attributes=tuple(
            _attribute(schema, at, dataset.about.get(each.name, ""), shown)
            for at, each in enumerate(schema.attributes)
        ),
        about=dataset.description[:LONGEST_LABEL],
        promise=promise,
        confidence=confidence,
        most_rows=MOST_ROWS,
    )


def _attribute(schema: Schema, at: int, about: str, shown: int) -> CatalogAttribute:
    attribute = schema.attributes[at]
    levels = attribute.levels[: attribute.size - attribute.nullable]
    edges = tuple(_edges(attribute))
    return CatalogAttribute(
        name=_short(attribute.name),
        kind=attribute.kind,
        levels=tuple(map(_short, levels[:shown])),
        edges=edges[: shown + 1] if shown else (),
        outside=attribute.outside,
        nullable=attribute.nullable,
        other=None if attribute.other is None else _short(attribute.other),
        about=about[:LONGEST_LABEL],
        example=example(schema, at),
        left_out=max(0, len(levels) - shown),
    )


def example(schema: Schema, at: int) -> str:
    """A condition on one attribute that can be asked; empty where none is short.

    On the first level of labels, or on one in the middle.
    """
    attribute = schema.attributes[at]
    known = attribute.size - attribute.nullable
    chosen = 0 if attribute.kind == "categorical" else known // 2
    is_chosen = np.arange(attribute.size) == chosen
    query = Query.build(schema, [at], [is_chosen.astype(np.intp)], np.arange(2) == 1)
    text = "" if query.empty or not query.active else describe(query)
    return text if len(text) <= LONGEST_EXAMPLE else ""


def _edges(attribute: Attribute) -> Iterator[Edge]:
    """Edges as values of their kind: what a condition may compare with."""
    for edge in attribute.edges or ():
        if attribute.kind in {"date", "datetime"}:
            yield line_constant(attribute.kind, edge).strip("'")
        else:
            yield edge


def _short(label: str) -> str:
    """A label as it may travel; one that is cut could not be asked about anyway."""
    return label if len(label) <= LONGEST_LABEL else f"{label[:LONGEST_LABEL]}…"
