"""Why one row event means nothing: the slow look at a single record."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import msgspec

from sigmacount.domain import Schema
from sigmacount.errors import InvalidRow
from streams.wire.message_limits import UNREADABLE
from streams.wire.messages.events import VERSION

DELETED: Final = -1  # the code of a row that is gone
MAX_ID_BYTES: Final = 512  # ids are kept for every row; longer ones cost memory
MAX_VALUE_BYTES: Final = 2**18  # a row is a few hundred bytes; this is an accident
OPS: Final = ("insert", "update", "delete")
DEBEZIUM_OPS: Final = frozenset("crudtm")
# What precedes a message that a registry knows the schema of: 0, and its number.
CONFLUENT_MAGIC, CONFLUENT_HEAD = b"\0", 5


class Reason(StrEnum):
    """Why a record means nothing, beside the reasons of a schema (`InvalidRow`)."""

    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    WRONG_VERSION = "wrong_version"
    UNKNOWN_OP = "unknown_op"
    MISSING_ID = "missing_id"
    ID_NOT_TEXT = "id_not_text"
    EMPTY_ID = "empty_id"
    ID_TOO_LONG = "id_too_long"
    KEY_DIFFERS_FROM_ID = "key_differs_from_id"
    KEY_NOT_TEXT = "key_not_text"
    MISSING_ROW = "missing_row"
    ROW_NOT_AN_OBJECT = "row_not_an_object"
    TOMBSTONE_WITHOUT_KEY = "tombstone_without_key"
    VALUE_TOO_LARGE = "value_too_large"
    WRONG_PARTITION = "wrong_partition"
    LOOKS_LIKE_DEBEZIUM = "looks_like_debezium"
    LOOKS_LIKE_CLOUDEVENTS = "looks_like_cloudevents"
    LOOKS_LIKE_CONFLUENT = "looks_like_confluent"


def diagnose(
    schema: Schema,
    key: bytes | None,
    value: bytes | None,
    max_value_bytes: int = MAX_VALUE_BYTES,
) -> tuple[str, int]:
    """Id of the row that one record speaks of, and its cell (or ``DELETED``).

    Raises:
        InvalidRow: it speaks of none; the reason goes with its dead letter.
    """
    if value is None:
        return tombstone(key)
    if len(value) > max_value_bytes:
        raise InvalidRow(Reason.VALUE_TOO_LARGE)
    event = _read(value)
    op = event.get("op")
    if op not in OPS:
        raise InvalidRow(_resembled(event) or Reason.UNKNOWN_OP)
    id_ = checked_id(event, key)
    return id_, DELETED if op == "delete" else _cell(schema, event.get("row"))


def _read(value: bytes) -> dict[str, Any]:
    try:
        event = msgspec.json.decode(value)
    except UNREADABLE:
        raise no_json(value) from None
    if not isinstance(event, dict):
        raise InvalidRow(Reason.NOT_AN_OBJECT)
    checked_version(event)
    return event


def no_json(value: bytes) -> InvalidRow:
    """Why a value that should be JSON is not: it may be framed instead."""
    framed = value[:1] == CONFLUENT_MAGIC and len(value) > CONFLUENT_HEAD
    return InvalidRow(Reason.LOOKS_LIKE_CONFLUENT if framed else Reason.NOT_JSON)


def checked_version(event: dict[str, Any]) -> None:
    """Refuse an event of a version that this program does not know."""
    version = event.get("v", VERSION)
    if type(version) is not int or version != VERSION:
        raise InvalidRow(Reason.WRONG_VERSION)


def _resembled(event: dict[str, Any]) -> Reason | None:
    """Whose event it looks like that is none of ours."""
    wrapped = event.keys() == {"schema", "payload"}
    op = event.get("op")
    change = isinstance(op, str) and op in DEBEZIUM_OPS
    whole = change and event.keys() & {"source", "after"}
    if wrapped or whole or event.keys() & {"__op", "__deleted"}:
        return Reason.LOOKS_LIKE_DEBEZIUM
    if event.keys() >= {"specversion", "type", "source"}:
        return Reason.LOOKS_LIKE_CLOUDEVENTS
    return None


def _cell(schema: Schema, row: object) -> int:
    if row is None:
        raise InvalidRow(Reason.MISSING_ROW)
    if not isinstance(row, dict):
        raise InvalidRow(Reason.ROW_NOT_AN_OBJECT)
    return schema.cell_code(row)


def checked_id(event: dict[str, Any], key: bytes | None) -> str:
    """The id that an event names; the record's key, if any, must say the same."""
    if "id" not in event:
        raise InvalidRow(Reason.MISSING_ID)
    id_ = event["id"]
    if not isinstance(id_, str):
        raise InvalidRow(Reason.ID_NOT_TEXT)
    checked_length(encoded := id_.encode())
    if key is not None and key != encoded:
        raise InvalidRow(Reason.KEY_DIFFERS_FROM_ID)
    return id_


def checked_length(id_: bytes) -> None:
    """Refuse an id that is empty or too long to be kept for every row."""
    if not id_:
        raise InvalidRow(Reason.EMPTY_ID)
    if len(id_) > MAX_ID_BYTES:
        raise InvalidRow(Reason.ID_TOO_LONG)


def tombstone(key: bytes | None) -> tuple[str, int]:
    """What a record without a value says: the row of its key is gone."""
    if key is None:
        raise InvalidRow(Reason.TOMBSTONE_WITHOUT_KEY)
    checked_length(key)
    try:
        return key.decode(), DELETED
    except UnicodeDecodeError:
        raise InvalidRow(Reason.KEY_NOT_TEXT) from None
