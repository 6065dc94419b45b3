"""Why a record is set aside, beside what a native one may have wrong."""

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


class LimitReason(StrEnum):
    """Sound in itself, but not within the operator's limits for rows and owners."""

    TOO_MANY_CHANGES = "too_many_changes"
    NO_OWNER = "no_owner"
    TOO_MANY_ROWS_OF_OWNER = "too_many_rows_of_owner"
