"""Columns of a change event → the values that a declaration's attributes take."""

from __future__ import annotations

import base64
from typing import Any, Final

from sigmacount.domain import MISSING, OUTSIDE_LEVELS, WRONG_TYPE, Schema
from sigmacount.errors import InvalidRow
from streams.formats.debezium import conversions
from streams.formats.encodings.encoding import ConnectSchema
from streams.formats.refusals.reasons import FormReason

PLACEHOLDER: Final = "__debezium_unavailable_value"  # the connector's default
BYTES: Final = PLACEHOLDER.encode()
UNAVAILABLE: Final = frozenset({PLACEHOLDER, BYTES, base64.b64encode(BYTES).decode()})
TEXTS: Final = frozenset({str, bytes})
KNOWN: Final = 64  # one for each schema that a table had

Conversions = tuple[tuple[str, conversions.Convert | None], ...]


class Columns:
    """The declared columns of an event's row, as the declaration's kinds want them.

    How a column is converted follows from its attribute's kind and the schema that came
    along; it is decided once for each schema.
    """

    def __init__(self, schema: Schema) -> None:
        self._kinds = {a.name: a.kind for a in schema.attributes}
        self._plans: dict[int, tuple[ConnectSchema, Conversions]] = {}
        self._without = self._plan(None)

    def row(
        self, after: dict[str, Any], before: object, types: ConnectSchema | None
    ) -> dict[str, object]:
        """The declared columns of ``after``; one that was left out, from ``before``.

        Raises:
            InvalidRow: a value has another type, or is in neither.
        """
        row: dict[str, object] = {}
        for name, convert in self._without if types is None else self._known(types):
            value = after.get(name, MISSING)
            if type(value) in TEXTS and value in UNAVAILABLE:
                value = _kept(name, before)
            if convert is None or value is None or value is MISSING:
                row[name] = value
                continue
            try:
                row[name] = convert(value)
            except OverflowError:  # no year of the calendar
                raise InvalidRow(OUTSIDE_LEVELS, name) from None
            except InvalidRow as error:
                raise InvalidRow(error.reason, name) from None
            except conversions.WRONG:
                raise InvalidRow(WRONG_TYPE, name) from None
        return row

    def _known(self, types: ConnectSchema) -> Conversions:
        found = self._plans.get(id(types))
        if found is None or found[0] is not types:
            if len(self._plans) >= KNOWN:
                self._plans.clear()
            found = self._plans[id(types)] = types, self._plan(types)
        return found[1]

    def _plan(self, types: ConnectSchema | None) -> Conversions:
        return tuple(
            (name, conversions.conversion(kind, types and types.member(name)))
            for name, kind in self._kinds.items()
        )


def _kept(name: str, before: object) -> object:
    """The value of a column that did not change, as it was before."""
    value = before.get(name, PLACEHOLDER) if isinstance(before, dict) else PLACEHOLDER
    if type(value) in TEXTS and value in UNAVAILABLE:
        raise InvalidRow(FormReason.UNAVAILABLE_VALUE, name)
    return value
