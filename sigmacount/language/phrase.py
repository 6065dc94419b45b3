"""Phrase: a set of levels of one attribute → a SQL condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sigmacount.domain import Attribute, line_comparison
from sigmacount.language.sql.screen import KEYWORDS

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def condition(attribute: Attribute, levels: Sequence[int]) -> str:
    """The condition that holds for some of the levels, but not for all of them.

    ``levels`` ascends. In parentheses when it has more than one part.
    """
    name = quoted_name(attribute.name)
    known = [level for level in levels if level != attribute.null_code]
    parts = []
    if len(known) == attribute.size - attribute.nullable:
        parts.append(f"{name} IS NOT NULL")
    elif known and attribute.edges is not None:
        parts += _ranges(attribute, name, known)
    elif known:
        parts.append(_listed(attribute, name, known))
    if len(known) < len(levels):
        parts.append(f"{name} IS NULL")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def quoted_name(name: str) -> str:
    """An attribute's name as it may stand in a query."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def _listed(attribute: Attribute, name: str, known: Sequence[int]) -> str:
    """Labels that are in, or, where these are fewer, labels that are out."""
    if attribute.kind == "boolean":
        return name if known[0] else f"NOT {name}"
    all_known = range(attribute.size - attribute.nullable)
    out = [level for level in all_known if level not in set(known)]
    inside = len(known) <= len(out)
    labels = [_quoted(attribute.levels[i]) for i in (known if inside else out)]
    if len(labels) == 1:
        return f"{name} {'=' if inside else '<>'} {labels[0]}"
    return f"{name} {'IN' if inside else 'NOT IN'} ({', '.join(labels)})"


def _ranges(attribute: Attribute, name: str, known: Sequence[int]) -> Iterator[str]:
    """One range for each run of neighbouring bins."""
    edges = attribute.edges or ()
    shift = 1 if attribute.outside == "bins" else 0
    last = attribute.size - attribute.nullable - 1
    for first, final in _runs(known):
        ends = []
        if first:
            ends.append(line_comparison(attribute.kind, ">=", edges[first - shift]))
        if final < last:
            ends.append(line_comparison(attribute.kind, "<", edges[final + 1 - shift]))
        yield " AND ".join(f"{name} {end}" for end in ends)


def _runs(levels: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of consecutive levels."""
    first = before = levels[0]
    for level in levels[1:]:
        if level != before + 1:
            yield first, before
            first = level
        before = level
    yield first, before


def _quoted(label: str) -> str:
    return "'" + label.replace("'", "''") + "'"
