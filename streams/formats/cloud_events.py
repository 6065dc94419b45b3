"""CloudEvents: row changes in the envelope of the CNCF, structured or binary."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, Final

from sigmacount.errors import InvalidRow
from streams.formats.encodings.encoding import Encoding
from streams.formats.refusals.diagnosis import (
    Reason,
    checked_id,
    checked_length,
    tombstone,
)
from streams.formats.refusals.reasons import FormReason
from streams.formats.row_format import FormRecord, RowChange
from streams.wire.cloudevents import CONTENT_TYPE, PREFIX
from streams.wire.records import Headers

STRUCTURED: Final = "application/cloudevents"
BATCH: Final = "application/cloudevents-batch"
VERSION: Final = re.compile(r"1\.\d+\Z")
# The last word of an event's type, before a version of it.
# Nothing is tried twice: a type may be as long as a record.
WORD: Final = re.compile(
    r"(?<![a-z])([a-z]++)(?:[._-]?v?\d++(?:\.\d++)*+)?\Z", re.IGNORECASE
)
JSON: Final = re.compile(
    r"(application|text)/([\w.+-]+\+)?json\s*(;.*)?\Z", re.IGNORECASE
)
LIVE: Final = frozenset(
    ("create", "created", "insert", "inserted", "update", "updated", "upserted")
)
GONE: Final = frozenset(("delete", "deleted", "removed"))


class CloudEvents:
    """Rows by the subject of each event: what its type says happened, and its data.

    The event's own ``id`` names the event and not the row. The row is its ``subject``,
    else its ``partitionkey``, else the record's key; a key that there is must say the
    same, so that a row is in one partition.
    """

    def change(self, record: FormRecord, encoding: Encoding) -> RowChange | None:
        """The row's new state.

        Raises:
            InvalidRow: it means nothing, or several events in one.
        """
        about = _texts(record.headers)
        kind = about.get(CONTENT_TYPE, "").lower()
        if kind.startswith(BATCH):
            raise InvalidRow(FormReason.SEVERAL_EVENTS)
        if PREFIX + "specversion" in about:
            said = {n.removeprefix(PREFIX): v for n, v in about.items()}
            return _changed(record, said, _data(record.value, kind, encoding))
        if record.value is None:
            return RowChange(tombstone(record.key)[0], None)
        event = encoding.value(record.value).value
        if isinstance(event, list):
            raise InvalidRow(FormReason.SEVERAL_EVENTS)
        if not isinstance(event, dict):
            raise InvalidRow(Reason.NOT_AN_OBJECT)
        if "specversion" not in event and not kind.startswith(STRUCTURED):
            raise InvalidRow(FormReason.NO_CLOUDEVENT)
        return _changed(record, event, _member(event, encoding))


def _texts(headers: Headers) -> dict[str, str]:
    """Headers as text; a null one says nothing, and bytes that are none stay so."""
    found = {}
    for name, value in headers:
        if value and name.startswith((PREFIX, CONTENT_TYPE)):  # a header may be null
            found[name] = value.decode(errors="surrogateescape")
    return found


def _changed(record: FormRecord, event: Mapping[str, Any], data: object) -> RowChange:
    if not VERSION.match(str(event.get("specversion"))):
        raise InvalidRow(Reason.WRONG_VERSION)
    word = WORD.search(str(event.get("type")))
    op = "" if word is None else word[1].lower()
    if op not in LIVE | GONE:
        raise InvalidRow(Reason.UNKNOWN_OP)
    id_ = _id(record, event)
    if op in GONE:
        return RowChange(id_, None)
    if data is None:
        raise InvalidRow(Reason.MISSING_ROW)
    if not isinstance(data, dict):
        raise InvalidRow(Reason.ROW_NOT_AN_OBJECT)
    return RowChange(id_, data)


def _id(record: FormRecord, event: Mapping[str, Any]) -> str:
    for name in ("subject", "partitionkey"):
        if event.get(name):
            return checked_id({"id": event[name]}, record.key)
    if record.key is None:
        raise InvalidRow(Reason.MISSING_ID)
    checked_length(record.key)
    try:
        return record.key.decode()
    except UnicodeDecodeError:
        raise InvalidRow(Reason.KEY_NOT_TEXT) from None


def _data(value: bytes | None, kind: str, encoding: Encoding) -> object:
    if not value:
        return None
    if kind and not JSON.match(kind):
        raise InvalidRow(FormReason.UNKNOWN_CONTENT_TYPE)
    return encoding.value(value).value


def _member(event: Mapping[str, Any], encoding: Encoding) -> object:
    """The data within a structured event; it is JSON unless it says otherwise."""
    kind = event.get("datacontenttype")
    if "data" not in event and "data_base64" not in event:
        return None
    if kind is not None and not JSON.match(str(kind)):
        raise InvalidRow(FormReason.UNKNOWN_CONTENT_TYPE)
    if "data" in event:
        return event["data"]
    try:
        return encoding.value(
            base64.b64decode(event["data_base64"], validate=True)
        ).value
    except (TypeError, ValueError):
        raise InvalidRow(Reason.NOT_JSON) from None
