"""Native row events in another encoding than JSON: what each says of a row."""

from __future__ import annotations

from typing import Any

from sigmacount.domain import Schema
from sigmacount.errors import InvalidRow
from streams.formats.debezium.columns import Columns
from streams.formats.encodings.encoding import ConnectSchema, Encoding
from streams.formats.refusals.diagnosis import (
    OPS,
    Reason,
    checked_id,
    checked_version,
    tombstone,
)
from streams.formats.row_format import FormRecord, RowChange


class NativeForm:
    """``op``, ``id`` and ``row`` of an object, however its bytes were spelled.

    The key is the id as plain text, or null. Values are those of the native form; where
    a schema came along, also what its types stand for.
    """

    def __init__(self, schema: Schema) -> None:
        self._columns = Columns(schema)

    def change(self, record: FormRecord, encoding: Encoding) -> RowChange | None:
        """The row's new state.

        Raises:
            InvalidRow: it means nothing.
        """
        if record.value is None:
            return RowChange(tombstone(record.key)[0], None)
        event, types = encoding.value(record.value)
        if not isinstance(event, dict):
            raise InvalidRow(Reason.NOT_AN_OBJECT)
        checked_version(event)
        op = event.get("op")
        if op not in OPS:
            raise InvalidRow(Reason.UNKNOWN_OP)
        id_ = checked_id(event, record.key)
        if op == "delete":
            return RowChange(id_, None)
        return RowChange(id_, self._row(event.get("row"), types))

    def _row(self, row: Any, types: ConnectSchema | None) -> dict[str, object]:  # noqa: ANN401
        if row is None:
            raise InvalidRow(Reason.MISSING_ROW)
        if not isinstance(row, dict):
            raise InvalidRow(Reason.ROW_NOT_AN_OBJECT)
        members = types and types.member("row")
        return row if members is None else self._columns.row(row, None, members)
