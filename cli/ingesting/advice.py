"""Advice: what would fit, for each reason why a row does not."""

from __future__ import annotations

from typing import Final

from cli.ingesting.shipment import LONGEST
from cli.reading import row
from sigmacount.domain import (
    NULL_NOT_ALLOWED,
    OUTSIDE_LEVELS,
    WRONG_TYPE,
    Attribute,
    Schema,
)
from streams.wire.diagnosis import MAX_ID_BYTES

MOST_LEVELS: Final = 5  # that are listed
# What a value of each kind looks like.
FORMS: Final = {
    "boolean": "true or false, yes or no, 1 or 0",
    "integer": "a whole number: 39",
    "number": "a number with a point: 3.5",
    "date": "year-month-day: 1987-02-28",
    "datetime": "ISO 8601: 1987-02-28T12:30:00Z",
    "categorical": "text",
}
# Why a row as a whole is refused, and what fits; docs/ingest.md has the same table.
ROWS: Final = {
    row.BROKEN_QUOTES: 'a quote inside a quoted field is written twice: ""',
    row.HEADER_AGAIN: "the names of the columns once, in the first line",
    row.WRONG_FIELDS: "as many fields as there are columns",
    row.NOT_AN_OBJECT: "one JSON object",
    row.NOT_UNICODE: "text without half surrogate pairs",
    row.TWICE: "each key once",
    "no_id": "an id in every row",
    "id_not_text": "an id that is text or a whole number",
    "id_too_long": f"an id of at most {MAX_ID_BYTES:,} bytes",
    "value_too_large": f"texts of at most {LONGEST:,} characters",
}


def what_fits(schema: Schema, reason: str, attribute: str | None) -> str:
    """The form that works, from the declaration alone; never a value of a row."""
    if attribute is None:
        return ROWS.get(reason, "")
    declared = schema.attributes[schema.index(attribute)]
    if reason == OUTSIDE_LEVELS:
        return _levels(declared)
    if reason == WRONG_TYPE:
        return FORMS[declared.kind]
    if reason == NULL_NOT_ALLOWED:
        return "a value, or nullable = true in the declaration"
    return f"a value; a column of another name takes --rename COLUMN={attribute}"


def _levels(attribute: Attribute) -> str:
    levels = attribute.levels[: attribute.size - attribute.nullable]
    if attribute.edges is not None:
        return f"within the bins {levels[0]} to {levels[-1]}"
    more = " …" if len(levels) > MOST_LEVELS else ""
    return f"one of {', '.join(levels[:MOST_LEVELS])}{more}"
