"""Cuts: where a constant divides the bins of an attribute, or why it cannot."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from sigmacount.domain import (
    OFF_LINE,
    Attribute,
    LinePosition,
    just_after,
    line_comparison,
    line_constant,
    line_position,
    shortened,
)
from sigmacount.errors import EdgeInsideBin, InvalidPredicate

_WANTED: Final = {
    "integer": "a number such as 30",
    "number": "a number such as 0.5",
    "date": "a date in quotes such as '2020-01-31'",
    "datetime": "a moment in quotes such as '2020-01-31T08:00:00Z'",
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that a query compares with, and where it stands in the text."""

    value: object
    position: int | None = None


def place_of(attribute: Attribute, constant: Constant) -> LinePosition:
    """Where a constant lies on the attribute's line; whole numbers may be cut by 5.5.

    Raises:
        InvalidPredicate: the constant is of another type; the text says which.
    """
    kind = "number" if attribute.kind == "integer" else attribute.kind
    value = constant.value
    try:
        if attribute.kind == "integer" and type(value) is int:
            return value
        return line_position(kind, value)
    except OFF_LINE:
        wanted = _WANTED[attribute.kind]
        msg = f"{attribute.name} is compared with {shortened(value)}; write {wanted}"
        raise InvalidPredicate(msg, constant.position) from None


def bin_of(attribute: Attribute, place: LinePosition) -> int:
    """Index of the upper edge of the bin that holds ``place``."""
    return bisect_right(_edges(attribute), place)


def ends_of(attribute: Attribute, at: int) -> tuple[LinePosition, LinePosition] | None:
    """Lower and upper edge of a bin by the index of its upper edge; None: no end."""
    edges = _edges(attribute)
    return (edges[at - 1], edges[at]) if 0 < at < len(edges) else None


def below(attribute: Attribute, constant: Constant, op: str, *, inclusive: bool) -> int:
    """How many levels lie wholly below a constant (or up to it, ``inclusive``).

    Raises:
        EdgeInsideBin: some values of a bin lie below and some not; the text names
            the nearest edges, the caller takes one of them.
    """
    place, edges = place_of(attribute, constant), _edges(attribute)
    outer = attribute.outside == "bins"
    if attribute.kind != "number":
        place = math.floor(place) + 1 if inclusive else math.ceil(place)
    elif inclusive:
        place = math.nextafter(place, math.inf)
    at = bisect_left(edges, place)
    if at < len(edges) and edges[at] == place:
        return at + outer
    if not outer and place < edges[0]:
        return 0
    if not outer and place >= edges[-1]:
        return len(edges) - 1
    raise inside_bin(attribute, constant, op)


def inside_bin(attribute: Attribute, constant: Constant, op: str) -> EdgeInsideBin:
    """The refusal of a constant that cuts a bin, with what to write instead."""
    place, edges = place_of(attribute, constant), _edges(attribute)
    at = bisect_right(edges, place)
    near = edges[max(at - 1, 0) : at + 1]
    label = attribute.levels[at - (attribute.outside == "error")]
    wrong = f"{attribute.name} {op} {_written(constant)}"
    named = " and ".join(_named(attribute.kind, edge) for edge in near)
    verb = "edges are" if len(near) > 1 else "edge is"
    if op == "=":
        write = f"{attribute.name} = '{label}'"
    else:
        write = " or ".join(_comparison(attribute, op, edge) for edge in near)
    msg = f"{wrong} cuts the bin {label!r}; the nearest {verb} {named}: write {write}"
    return EdgeInsideBin(msg, constant.position)


def _edges(attribute: Attribute) -> tuple[LinePosition, ...]:
    """Edges of a binned attribute."""
    return attribute.edges or ()


def _comparison(attribute: Attribute, op: str, edge: LinePosition) -> str:
    """The comparison at an edge that is closest in meaning to a refused one."""
    at_edge = {"<": "<", "<=": "<", ">": ">=", ">=": ">="}[op]
    return f"{attribute.name} {line_comparison(attribute.kind, at_edge, edge)}"


def _named(kind: str, edge: LinePosition) -> str:
    """An edge for people, who never wrote the float that comes just after a number."""
    after = just_after(edge) if kind == "number" else None
    return line_constant(kind, edge) if after is None else f"just after {after!r}"


def _written(constant: Constant) -> str:
    """A constant as it was asked; its position on the line may have no text."""
    value = constant.value
    return f"'{value}'" if isinstance(value, str) else shortened(value)
