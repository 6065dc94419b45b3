"""Report: what became of a file, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.markup import escape

from cli import terminal
from cli.ingesting.ingest_options import IngestOptions
from cli.ingesting.progress import Progress
from cli.ingesting.row_ids import RowIds
from cli.ingesting.row_sender import LONGEST
from cli.reading import row
from cli.reading.text import called
from sigmacount.domain import (
    NULL_NOT_ALLOWED,
    OUTSIDE_LEVELS,
    WRONG_TYPE,
    Attribute,
    Schema,
)
from streams.formats.refusals.diagnosis import MAX_ID_BYTES
from streams.formats.refusals.reasons import LimitReason
from views import formats

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
    LimitReason.NO_OWNER: "an id that is an owner, a slash and a number from 1: ada/2",
    LimitReason.TOO_MANY_ROWS_OF_OWNER: "as many rows of one owner as there may be",
    "value_too_large": f"texts of at most {LONGEST:,} characters",
}


@dataclass(frozen=True, slots=True)
class IngestOutcome:
    """All that is to be reported of one run.

    Attributes:
        topic: where the rows went.
        seconds: how long sending took.
    """

    options: IngestOptions
    schema: Schema
    ids: RowIds
    progress: Progress
    topic: str
    seconds: float


def for_programs(outcome: IngestOutcome) -> dict[str, object]:
    """The report as JSON."""
    progress, ids = outcome.progress, outcome.ids
    faults = [
        {
            "reason": reason,
            "attribute": attribute,
            "rows": rows,
            "first_line": line,
            "fits": _what_fits(outcome.schema, reason, attribute),
        }
        for (reason, attribute), (rows, line) in progress.refused.items()
    ]
    named = {"id_column": ids.column, "name": ids.name}
    summary = {**progress.summary(), **named, "seconds": round(outcome.seconds, 3)}
    return summary | {"refused": faults}


def for_people(outcome: IngestOutcome) -> None:
    """The report as text, a line for each thing."""
    options, progress = outcome.options, outcome.progress
    out, rate = terminal.console(), progress.sent / max(outcome.seconds, 1e-9)
    verb = "would send" if options.check else "sent"
    out.print(
        f"{verb} {_many(progress.sent)} of {escape(_name(options))} to {outcome.topic}"
        f" in {outcome.seconds:.1f} s ({rate:,.0f} rows/s)"
    )
    notes = _notes(outcome.schema, progress)
    for line in (str(outcome.ids), *notes, *_next(outcome)):
        out.print(escape(line), soft_wrap=True)
    if progress.refused:
        out.print(f"not sent, because they do not fit: {_many(progress.bad)}")
        lines = [
            (*fault, *seen, _what_fits(outcome.schema, *fault))
            for fault, seen in progress.refused.items()
        ]
        heads = ("reason", "attribute", "rows", "first line", "what fits")
        out.print(formats.table(heads, lines))


def _next(outcome: IngestOutcome) -> Iterator[str]:
    """What somebody who asks at once should know."""
    if outcome.progress.sent and not outcome.options.check:
        yield (
            "answers hold them from the first epoch after counters have read them:"
            " `sigma doctor` says how far both are"
        )


def _name(options: IngestOptions) -> str:
    return options.file.name if options.file.name != "-" else called(options.file)


def _many(rows: int) -> str:
    return f"{rows:,} row" if rows == 1 else f"{rows:,} rows"


def _notes(schema: Schema, progress: Progress) -> Iterator[str]:
    """One line for everything that a reader might not expect."""
    if progress.skipped:
        yield f"{_many(progress.skipped)} before them, sent by an earlier run"
    repeated, most = progress.repeats()
    if repeated:
        yield (
            f"warning: {_many(repeated)} with an id that comes again (one id in"
            f" {most:,} rows): of each id the last row counts"
        )
    doubtful, line = progress.doubtful
    if doubtful:
        yield (
            f"warning: {_many(doubtful)} with delimiters beside a line break, first at"
            f" line {line}: look whether a broken quote has merged rows"
        )
    if progress.spread:
        yield f"{_many(progress.spread)} on several lines"
    if progress.cut:
        yield "the last line has no end: look whether the file was cut"
    if progress.unused:
        yield f"columns not used: {', '.join(map(repr, progress.unused))}"
    for name, number in progress.other.items():
        label = schema.attributes[schema.index(name)].other
        yield f"{name}: {number:,} outside its levels, counted as {label!r}"
    for name, number in progress.missing.items():
        yield f"{name}: {number:,} missing, counted as NULL"


def _what_fits(schema: Schema, reason: str, attribute: str | None) -> str:
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
