"""Rows as CloudEvents: structured and binary, by type, subject and data."""

from __future__ import annotations

import base64
import json

import pytest

from sigmacount.domain import Attribute, Schema
from streams.formats.choice import Reading, row_format
from streams.formats.refusals.diagnosis import DELETED
from streams.formats.refusals.remedies import REMEDIES
from tests.fixtures.in_memory import MemoryRecord

SCHEMA = Schema("people", (Attribute.categorical("sex", ["F", "M"]),))
EVENT = {
    "specversion": "1.0",
    "id": "e1",
    "source": "/hr",
    "type": "com.hr.person.created",
    "subject": "ada",
}
STRUCTURED = ("content-type", b"application/cloudevents+json; charset=utf-8")
ROW = {"sex": "M"}


def read(*records, form="cloudevents"):
    """What the format makes of these records."""
    return row_format(SCHEMA, 1, Reading(form)).decode(records)


def structured(key=None, headers=(STRUCTURED,), **changes):
    """One event as one JSON object; None leaves an attribute out."""
    event = {n: v for n, v in (EVENT | changes).items() if v is not None}
    return MemoryRecord(json.dumps(event).encode(), key=key, headers=headers)


def binary(value, key=None, kind=b"application/json", **changes):
    """One event whose attributes are headers."""
    about = {n: v for n, v in (EVENT | changes).items() if v is not None}
    headers = [(f"ce_{name}", text.encode()) for name, text in about.items()]
    return MemoryRecord(value, key=key, headers=[*headers, ("content-type", kind)])


# Two such subjects would be one text, were what is none of it replaced.
BYTES = MemoryRecord(
    b'{"sex": "M"}',
    headers=[
        ("ce_specversion", b"1.0"),
        ("ce_type", b"created"),
        ("ce_subject", b"\xff"),
    ],
)


@pytest.mark.parametrize(
    "record",
    [
        structured(data=ROW),
        structured(data=ROW, key=b"ada"),
        structured(data=ROW, headers=()),
        structured(data=ROW, datacontenttype="application/vnd.hr+json"),
        structured(data_base64=base64.b64encode(json.dumps(ROW).encode()).decode()),
        structured(data=ROW, type="com.hr.person.updated.v2"),
        structured(data=ROW, type="INSERT"),
        structured(data=ROW, subject=None, partitionkey="ada"),
        structured(data=ROW, subject=None, key=b"ada"),
        binary(b'{"sex": "M"}'),
        binary(b'{"sex": "M"}', kind=b"text/json;charset=utf-8"),
        binary(b'{"sex": "M"}', key=b"ada", subject=None),
    ],
)
def test_what_happened_to_a_row_is_its_new_state(record):
    """Whichever mode, and whichever attribute names the row."""
    found = read(record)

    assert (found.ids, found.codes.tolist(), found.bad) == (["ada"], [1], [])


@pytest.mark.parametrize(
    "record",
    [
        structured(type="person.deleted"),
        structured(type="x.delete.v1", data={"what": "ever"}),
        binary(None, type="person.deleted"),
        binary(b"", type="person.removed"),
        MemoryRecord(None, key=b"ada"),
    ],
)
def test_a_row_that_is_gone_needs_no_data(record):
    """By its type, or by a tombstone."""
    found = read(record)

    assert (found.ids, found.codes.tolist()) == (["ada"], [DELETED])


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (structured(data=ROW, type="com.hr.person.hired"), "unknown_op"),
        (structured(data=ROW, type=None), "unknown_op"),
        (structured(data=ROW, type="a" * 250_000 + "!"), "unknown_op"),  # in no time
        (structured(data=ROW, specversion="0.3"), "wrong_version"),
        (structured(data=ROW, subject=None), "missing_id"),
        (structured(data=ROW, subject=7), "id_not_text"),
        (structured(data=ROW, subject="a" * 600), "id_too_long"),
        (structured(data=ROW, key=b"bob"), "key_differs_from_id"),
        (structured(data=[1]), "row_not_an_object"),
        (structured(), "missing_row"),
        (structured(data={"sex": "X"}), "outside_levels"),
        (structured(data="<p/>", datacontenttype="text/xml"), "unknown_content_type"),
        (structured(data_base64="!"), "not_json"),
        (binary(b"<p/>", kind=b"text/xml"), "unknown_content_type"),
        (binary(b"{"), "not_json"),
        (binary(None), "missing_row"),
        (MemoryRecord(b"[]", headers=[STRUCTURED]), "several_events"),
        (
            MemoryRecord(
                b"[]",
                headers=[("content-type", b"application/cloudevents-batch+json")],
            ),
            "several_events",
        ),
        (MemoryRecord(b"[" * 100_000), "not_json"),
        (MemoryRecord(b'{"op": "insert"}'), "no_cloudevent"),
        (MemoryRecord(b"{}", headers=[("ce_specversion", b"\xff")]), "wrong_version"),
        (BYTES, "not_readable"),
        (structured(data=ROW, subject=""), "missing_id"),
        (MemoryRecord(b"\0\0\0\0\7{}"), "looks_like_confluent"),
        (
            MemoryRecord(None, headers=[("ce_specversion", None)]),
            "tombstone_without_key",
        ),
    ],
)
def test_what_means_nothing_is_a_dead_letter_that_says_why(record, reason):
    """None is guessed at, and the next record is read."""
    found = read(record, structured(data=ROW))

    [bad] = found.bad
    assert (bad.index, str(bad.reason), found.ids) == (0, reason, ["ada"])


def test_the_native_reader_says_which_setting_reads_it():
    """Also of the event that it is handed by a service that sends CloudEvents."""
    [bad] = read(structured(data=ROW), form="native").bad

    assert "SIGMA_ROWS_FORMAT=cloudevents" in REMEDIES[bad.reason]
