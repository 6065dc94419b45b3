"""What may be asked, as a person reads it, and as a program does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from sigmaclient.schema import DatasetSchema, SchemaAttribute
from views import formats
from views.asking.promise import facts

HEADS: Final = ("attribute", "kind", "levels", "may lack", "for example")
FEW: Final = 4  # labels that stand in one cell of a table


def as_dict(schema: DatasetSchema) -> dict[str, Any]:
    """The schema as it travels, absent fields left out."""
    return {name: value for name, value in asdict(schema).items() if value is not None}


def headline(schema: DatasetSchema) -> str:
    """The dataset in one line of markup."""
    many = f"{len(schema.attributes):,} attributes, {schema.cells:,} cells"
    about = f"\n{escape(schema.about)}" if schema.about else ""
    return f"[bold]{escape(schema.dataset)}[/]   {many}{about}"


def attributes(schema: DatasetSchema) -> Table:
    """A line for each attribute."""
    return formats.table(HEADS, map(row, schema.attributes))


def row(attribute: SchemaAttribute) -> tuple[str, ...]:
    """An attribute under ``HEADS``."""
    return (
        attribute.name,
        attribute.kind,
        _levels(attribute),
        "yes" if attribute.nullable else "",
        attribute.example,
    )


def details(attribute: SchemaAttribute) -> Iterator[Table]:
    """One attribute with all of its levels, one a line."""
    grid = Table.grid(padding=(0, 3))
    for name, fact in _facts(attribute):
        grid.add_row(f"[dim]{name}[/]", escape(fact))
    yield grid


def promise(schema: DatasetSchema) -> Iterator[Table]:
    """What answers promise, one fact a line; nothing for a declaration alone."""
    grid = Table.grid(padding=(0, 3))
    for name, fact in facts(schema):
        grid.add_row(f"[dim]{name}[/]", escape(fact))
    if grid.row_count:
        yield grid


def _facts(attribute: SchemaAttribute) -> Iterator[tuple[str, str]]:
    yield "attribute", attribute.name
    if attribute.about:
        yield "about", attribute.about
    yield "kind", attribute.kind
    for at, level in enumerate(attribute.levels):
        note = "   every value that is not listed" if level == attribute.other else ""
        yield "" if at else "levels", f"{level}{note}"
    if attribute.left_out:
        yield "", f"… and {attribute.left_out:,} more"
    if attribute.edges:
        yield "edges", ", ".join(map(str, attribute.edges))
    if attribute.nullable:
        yield "may lack", f"{attribute.name} IS NULL"
    if attribute.example:
        yield "for example", attribute.example


def _levels(attribute: SchemaAttribute) -> str:
    """The levels in a few words."""
    labels = attribute.levels
    if attribute.edges:
        bins = f"{len(labels) + attribute.left_out:,} bins"
        return f"{bins}, {attribute.edges[0]} … {attribute.edges[-1]}"
    shown = ", ".join(labels[:FEW])
    more = len(labels) + attribute.left_out - min(FEW, len(labels))
    return f"{shown} … {more:,} more" if more else shown
