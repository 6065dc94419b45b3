"""Levels that were clicked, or a condition that was typed → a question's fields."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streams.wire.messages.catalog import Catalog, CatalogAttribute

LEVEL, FROM, TO = "level", "from", "to"  # of a form's fields, with an attribute's place
MISSING: Final = "null"  # the value of the box that stands for a missing value
MOST_DIGITS: Final = 9  # of a place
MOST_BOXES: Final = 24  # levels that are boxes; bins beyond it are from … to …
FormFields = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class AskedOnPage:
    """The fields of a question as a program would send them; absent ones left out."""

    where: str | dict[str, Any]
    by: tuple[str, ...]
    error: float | None

    def body(self) -> dict[str, Any]:
        """As `POST /v1/ask` takes it."""
        said: dict[str, Any] = {}
        if self.where:
            said["where"] = self.where
        if self.by:
            said["by"] = list(self.by)
        if self.error is not None:
            said["error"] = self.error
        return said


def asked_on_page(catalog: Catalog, fields: FormFields) -> AskedOnPage:
    """What a form asks: what is typed is taken instead of what is clicked.

    Whether it means anything the service says.
    """
    typed = _first(fields, "where").strip()
    where = _typed(typed) if typed else _clicked(catalog, fields)
    return AskedOnPage(where, tuple(fields.get("by", ())), _error(fields))


def ranged(attribute: CatalogAttribute) -> bool:
    """Whether its levels are many bins, of which a stretch is chosen."""
    return bool(attribute.edges) and len(attribute.levels) > MOST_BOXES


def _typed(text: str) -> str | dict[str, Any]:
    """SQL, or a JSON object where it is one."""
    if text.startswith("{"):
        try:
            found = json.loads(text)
            json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            return text  # which is refused in words
        if isinstance(found, dict):
            return found
    return text


def _clicked(catalog: Catalog, fields: FormFields) -> dict[str, Any]:
    """A condition on every attribute of which something is chosen, but not all."""
    found: dict[str, Any] = {}
    for place, attribute in enumerate(catalog.attributes):
        if ranged(attribute):
            wanted: Any = _stretch(attribute, place, fields)
        else:
            wanted = _boxes(attribute, fields.get(f"{LEVEL}.{place}", ()))
        if wanted:
            found[attribute.name] = wanted
    return found


def _boxes(attribute: CatalogAttribute, chosen: Sequence[str]) -> list[str | None]:
    """The labels of the boxes that are ticked; none for all of them."""
    places = frozenset(chosen)
    found: list[str | None] = [
        label for place, label in enumerate(attribute.levels) if str(place) in places
    ]
    if attribute.nullable and MISSING in places:
        found.append(None)
    every = len(attribute.levels) + attribute.left_out + attribute.nullable
    return found if len(found) < every else []


def _stretch(
    attribute: CatalogAttribute, place: int, fields: FormFields
) -> dict[str, Any]:
    """From the lower edge of one bin to the upper edge of another."""
    edges, last = attribute.edges, len(attribute.levels) - 1
    first = _place(_first(fields, f"{FROM}.{place}"), 0, last)
    final = _place(_first(fields, f"{TO}.{place}"), last, last)
    beyond = 1 if attribute.outside == "bins" else 0
    said: dict[str, Any] = {}
    if first > 0:
        said["ge"] = edges[first - beyond]
    if final < last:
        said["lt"] = edges[final + 1 - beyond]
    return said


def _place(text: str, other: int, last: int) -> int:
    readable = text.isdecimal() and len(text) <= MOST_DIGITS
    return min(int(text), last) if readable else other


def _error(fields: FormFields) -> float | None:
    """Half the width of the interval that is wanted; None where nothing is said."""
    try:
        found = float(_first(fields, "error"))
    except ValueError:
        return None
    return found if 0 < found < float("inf") else None


def _first(fields: FormFields, name: str) -> str:
    return next(iter(fields.get(name, ())), "")
