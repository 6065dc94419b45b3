"""Why one row event means nothing: the slow look at a single record."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from sigmacount.domain import Schema
from sigmacount.errors import InvalidRow
from streams.wire.events import VERSION
from streams.wire.message_limits import UNREADABLE

DELETED: Final = -1  # the code of a row that is gone
MAX_ID_BYTES: Final = 512  # ids are kept for every row; longer ones cost memory
MAX_VALUE_BYTES: Final = 2**18  # a row is a few hundred bytes; this is an accident
OPS: Final = ("insert", "update", "delete")


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


# What an operator does about a reason that is a fault of the deployment, not of a row.
REMEDIES: Final[Mapping[str, str]] = {
    Reason.WRONG_PARTITION: (
        "Its id belongs to another partition of the topic and would be counted twice."
        " Let every producer choose partitions by murmur2 of the key, as Java's do"
        " (librdkafka: partitioner=murmur2_random) and send the row again; only where"
        " all producers share another rule, set SIGMA_ROWS_PARTITIONER=any."
    ),
}


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
        return _tombstone(key)
    if len(value) > max_value_bytes:
        raise InvalidRow(Reason.VALUE_TOO_LARGE)
    event = _read(value)
    op = event.get("op")
    if op not in OPS:
        raise InvalidRow(Reason.UNKNOWN_OP)
    id_ = _checked_id(event, key)
    return id_, DELETED if op == "delete" else _cell(schema, event.get("row"))


def _read(value: bytes) -> dict[str, Any]:
    try:
        event = msgspec.json.decode(value)
    except UNREADABLE:
        raise InvalidRow(Reason.NOT_JSON) from None
    if not isinstance(event, dict):
        raise InvalidRow(Reason.NOT_AN_OBJECT)
    version = event.get("v", VERSION)
    if type(version) is not int or version != VERSION:
        raise InvalidRow(Reason.WRONG_VERSION)
    return event


def _cell(schema: Schema, row: object) -> int:
    if row is None:
        raise InvalidRow(Reason.MISSING_ROW)
    if not isinstance(row, dict):
        raise InvalidRow(Reason.ROW_NOT_AN_OBJECT)
    return schema.cell_code(row)


def _checked_id(event: dict[str, Any], key: bytes | None) -> str:
    if "id" not in event:
        raise InvalidRow(Reason.MISSING_ID)
    id_ = event["id"]
    if not isinstance(id_, str):
        raise InvalidRow(Reason.ID_NOT_TEXT)
    _check_length(encoded := id_.encode())
    if key is not None and key != encoded:
        raise InvalidRow(Reason.KEY_DIFFERS_FROM_ID)
    return id_


def _check_length(id_: bytes) -> None:
    if not id_:
        raise InvalidRow(Reason.EMPTY_ID)
    if len(id_) > MAX_ID_BYTES:
        raise InvalidRow(Reason.ID_TOO_LONG)


def _tombstone(key: bytes | None) -> tuple[str, int]:
    if key is None:
        raise InvalidRow(Reason.TOMBSTONE_WITHOUT_KEY)
    _check_length(key)
    try:
        return key.decode(), DELETED
    except UnicodeDecodeError:
        raise InvalidRow(Reason.KEY_NOT_TEXT) from None
