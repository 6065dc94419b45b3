"""Debezium's change events: what each says of a row."""

from __future__ import annotations

from typing import Any, Final

from sigmacount.domain import Schema
from sigmacount.errors import InvalidRow
from streams.formats.debezium.columns import Columns
from streams.formats.encodings.encoding import ConnectSchema, Encoding
from streams.formats.refusals.diagnosis import Reason
from streams.formats.refusals.reasons import FormReason
from streams.formats.row_format import FormRecord, Origin, RowChange

LIVE: Final = frozenset("cur")  # created, updated, read by a snapshot
GONE, TRUNCATED, MESSAGE = "d", "t", "m"
OP, DELETED_MARK = "__op", "__deleted"  # what ExtractNewRecordState adds
YES: Final = (True, "true")
HEARTBEAT: Final = {"ts_ms"}
TRANSACTION: Final = {"status", "id", "data_collections"}
DEFINITION: Final = {"databaseName", "ddl", "tableChanges"}


class ChangeEvents:
    """Change events by the ids of their keys.

    c, u and r say how a row is now, d and a tombstone that it is gone: sent twice, or
    a whole snapshot again, they change nothing. m, and what a connector says of itself,
    is passed over. t is refused: it empties a table and names no row.
    """

    def __init__(self, schema: Schema) -> None:
        self._columns = Columns(schema)

    def change(self, record: FormRecord, encoding: Encoding) -> RowChange | None:
        """The row's new state, or None.

        Raises:
            InvalidRow: it means nothing, or a truncate.
        """
        if record.value is None:
            if record.key is None:
                raise InvalidRow(Reason.TOMBSTONE_WITHOUT_KEY)
            return _changed(record, encoding, None)
        value, schema = encoding.value(record.value)
        if value is None:  # a tombstone, as converters write one that has a schema
            return _changed(record, encoding, None)
        if not isinstance(value, dict):
            raise InvalidRow(Reason.NOT_AN_OBJECT)
        if _whole(value):
            return self._of_envelope(record, encoding, value, schema)
        if _of_the_connector(value):
            return None
        return self._of_row(record, encoding, value, schema)

    def _of_envelope(
        self,
        record: FormRecord,
        encoding: Encoding,
        event: dict[str, Any],
        schema: ConnectSchema | None,
    ) -> RowChange | None:
        op = event["op"]
        if op == MESSAGE:
            return None
        if op == TRUNCATED:
            raise InvalidRow(FormReason.TRUNCATED)
        if op == GONE:
            return _changed(record, encoding, None)
        if op not in LIVE:
            raise InvalidRow(Reason.UNKNOWN_OP)
        after, before = event.get("after"), event.get("before")
        if after is None:
            raise InvalidRow(Reason.MISSING_ROW)
        if not isinstance(after, dict):
            raise InvalidRow(Reason.ROW_NOT_AN_OBJECT)
        types = schema and schema.member("after")
        row = self._columns.row(after, before, types)
        return _changed(record, encoding, row)

    def _of_row(
        self,
        record: FormRecord,
        encoding: Encoding,
        row: dict[str, Any],
        schema: ConnectSchema | None,
    ) -> RowChange:
        """A flattened event: the row itself, with marks of what happened to it."""
        op = row.get(OP)
        if op == TRUNCATED:
            raise InvalidRow(FormReason.TRUNCATED)
        if op == GONE or row.get(DELETED_MARK) in YES:
            return _changed(record, encoding, None)
        return _changed(record, encoding, self._columns.row(row, None, schema))


def _changed(
    record: FormRecord, encoding: Encoding, row: dict[str, object] | None
) -> RowChange:
    if record.key is None:
        raise InvalidRow(FormReason.MISSING_KEY)
    id_, spelling = encoding.key(record.key)
    return RowChange(id_, row, Origin(record.key, spelling))


def _whole(value: dict[str, Any]) -> bool:
    """An envelope; a row with columns of these names is none."""
    if not isinstance(value.get("op"), str):
        return False
    whole = {"before", "after"} <= value.keys()
    return isinstance(value.get("source"), dict) or (
        whole and not isinstance(value["after"], str | int | float)
    )


def _of_the_connector(value: dict[str, Any]) -> bool:
    """A heartbeat, the begin or end of a transaction, or a change of definition."""
    said = value.keys()
    return said == HEARTBEAT or said >= TRANSACTION or said >= DEFINITION
