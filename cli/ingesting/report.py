"""Report: what became of a file, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.markup import escape

from cli.ingesting.advice import what_fits
from cli.ingesting.naming import Naming
from cli.ingesting.order import Order
from cli.ingesting.progress import Progress
from cli.reading.text import called
from sigmacount.domain import Schema
from views import show


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that is to be told about one run.

    Attributes:
        topic: where the rows went.
        seconds: how long sending took.
    """

    order: Order
    schema: Schema
    naming: Naming
    progress: Progress
    topic: str
    seconds: float


def for_programs(outcome: Outcome) -> dict[str, object]:
    """The report as JSON."""
    progress, ids = outcome.progress, outcome.naming
    faults = [
        {
            "reason": reason,
            "attribute": attribute,
            "rows": rows,
            "first_line": line,
            "fits": what_fits(outcome.schema, reason, attribute),
        }
        for (reason, attribute), (rows, line) in progress.refused.items()
    ]
    named = {"id_column": ids.column, "name": ids.name}
    summary = {**progress.summary(), **named, "seconds": round(outcome.seconds, 3)}
    return summary | {"refused": faults}


def for_people(outcome: Outcome) -> None:
    """The report as text, a line for each thing."""
    order, progress = outcome.order, outcome.progress
    out, rate = show.console(), progress.sent / max(outcome.seconds, 1e-9)
    verb = "would send" if order.check else "sent"
    out.print(
        f"{verb} {_many(progress.sent)} of {escape(_name(order))} to {outcome.topic}"
        f" in {outcome.seconds:.1f} s ({rate:,.0f} rows/s)"
    )
    for line in (str(outcome.naming), *_notes(outcome.schema, progress)):
        out.print(escape(line))
    if progress.refused:
        out.print(f"not sent, because they do not fit: {_many(progress.bad)}")
        lines = [
            (*fault, *told, what_fits(outcome.schema, *fault))
            for fault, told in progress.refused.items()
        ]
        heads = ("reason", "attribute", "rows", "first line", "what fits")
        out.print(show.table(heads, lines))


def _name(order: Order) -> str:
    return order.file.name if order.file.name != "-" else called(order.file)


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
