"""Why a record of another format than the native one means nothing."""

from __future__ import annotations

from enum import StrEnum


class FormReason(StrEnum):
    """Beside the reasons of native records and of a schema (`InvalidRow`)."""

    NOT_READABLE = "not_readable"
    MISSING_KEY = "missing_key"
    KEY_NOT_CANONICAL = "key_not_canonical"
    KEY_SPELLED_OTHERWISE = "key_spelled_otherwise"
    TRUNCATED = "truncated"
    UNAVAILABLE_VALUE = "unavailable_value"
    UNKNOWN_ENCODING = "unknown_encoding"
    NOT_FRAMED = "not_framed"
    UNKNOWN_SCHEMA = "unknown_schema"
    UNUSABLE_SCHEMA = "unusable_schema"
    SEVERAL_EVENTS = "several_events"
    NO_CLOUDEVENT = "no_cloudevent"
    UNKNOWN_CONTENT_TYPE = "unknown_content_type"
