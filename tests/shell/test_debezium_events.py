"""Change events as an unmodified connector sent them, and what each says of a row.

``tests/fixtures/debezium_events.json`` was recorded from Debezium's connector: two
people are read by a snapshot (ids 3 and 4), both are updated, the second once more
after REPLICA IDENTITY FULL, the first gets id 33, the second is deleted, the table is
truncated. ``whole`` has schemas, ``bare`` has none, ``flat`` is the row alone. A long
text was shortened.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sigmacount.domain import MISSING
from streams.formats.choice import Reading, row_format
from streams.formats.native import RowCodec
from streams.formats.refusals.diagnosis import DELETED
from streams.wire.records import BadRecord
from tests.fixtures.debezium_people import DECLARED, WITH_TYPES
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.row_events import ROW, SCHEMA

RECORDED = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "debezium_events.json").read_text()
)
READING = Reading("debezium", rule="any")
FIRST = {"region": "r0", "job": "cook", "member": True, "age": 23, "born": "1966-09-26"}
TYPES = {
    "seen": "2024-01-01T20:30:00Z",
    "visited": "2024-01-02T23:00:00.123Z",
    "moved": "2024-01-02T17:00:00.123456Z",
    "paid": -28.75,
    "score": 0.375,
    "flags": 3,
    "shift": 23_940,
    "story": "short",
}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """The declaration that every column has a place in, and the one of a few."""
    from config.declarations.datasets import load_schema

    def loaded(text):
        path = tmp_path_factory.mktemp("people") / "people.toml"
        path.write_text(text.format(name="people"))
        return load_schema(path)

    return loaded(DECLARED + WITH_TYPES), loaded(DECLARED)


def record(key, value):
    """A record of these texts."""
    return MemoryRecord(
        None if value is None else value.encode(),
        key=None if key is None else key.encode(),
    )


def compact(value):
    """JSON as Kafka Connect writes it."""
    return None if value is None else json.dumps(value, separators=(",", ":"))


def event(value, key=MISSING):
    """A change of the person with id 1."""
    return record(compact({"id": 1}) if key is MISSING else key, compact(value))


def envelope(op, after=None, before=None, **more):
    """An event without its schema."""
    return {"before": before, "after": after, "source": {"db": "d"}, "op": op} | more


def decoded(*records, schema=SCHEMA):
    """What the format makes of them."""
    return row_format(schema, 1, READING).decode(records)


def rows(batch):
    """Id → cell, as the last record of each says."""
    last = dict(zip(batch.ids, batch.codes.tolist(), strict=True))
    return {id_: code for id_, code in last.items() if code != DELETED}


@pytest.mark.parametrize("connector", ["whole", "bare", "flat"])
def test_what_a_connector_sent_leaves_the_row_that_there_was(people, connector):
    """With schema, without, flattened: one person is left, under the new key."""
    whole = connector == "whole"
    schema = people[0] if whole else people[1]
    records = [record(*each) for each in RECORDED[connector]]

    batch = decoded(*records, schema=schema)

    row = FIRST | TYPES if whole else FIRST
    assert rows(batch) == {'[33,"r0"]': schema.cell_code(row)}
    assert len(batch.ids) + len(batch.bad) + len(batch.passed) == len(records)
    refused = {(bad.reason, bad.attribute) for bad in batch.bad}
    assert (
        refused
        == {
            "whole": {("unavailable_value", "story"), ("truncated", None)},
            "bare": {("truncated", None)},
            "flat": set(),
        }[connector]
    )
    assert len({origin.spelling for origin in batch.origins}) == 1


def test_what_a_connector_says_of_itself_is_passed_over(people):
    """A message, a heartbeat, the begin and the end of a transaction."""
    records = [record(*each) for each in RECORDED["bare"]]

    assert decoded(*records, schema=people[1]).passed == [11, 12, 13, 14]


@pytest.mark.parametrize(
    "value",
    [
        *(envelope(op, ROW, ROW) for op in "cur"),
        envelope("c", ROW | {"unknown": [1], "id": 1}),
        {"before": None, "after": ROW, "op": "r", "ts_ms": 1},
        {"schema": None, "payload": envelope("c", ROW)},
        {"payload": envelope("c", ROW), "schema": {"type": "struct"}},
        ROW,
        ROW | {"__deleted": "false"},
        ROW | {"__deleted": False, "__op": "u", "__ts_ms": 1},
        ROW | {"op": "surgery", "source": "referral"},
    ],
)
def test_a_row_is_as_its_event_says(value):
    """Columns that are not declared are ignored; some may bear Debezium's names."""
    assert rows(decoded(event(value))) == {"1": SCHEMA.cell_code(ROW)}


@pytest.mark.parametrize(
    "value",
    [
        envelope("d", None, ROW),
        envelope("d", None, None),
        None,
        ROW | {"__deleted": "true"},
        ROW | {"__deleted": True},
        ROW | {"__op": "d"},
        {"age": None, "__deleted": "true"},
        {"schema": {"type": "struct"}, "payload": None},
    ],
)
def test_a_row_is_gone(value):
    """By its key, whatever the event holds besides."""
    before = event(envelope("c", ROW))

    assert rows(decoded(before, event(value))) == {}


@pytest.mark.parametrize(
    ("value", "reason", "attribute"),
    [
        (envelope("t"), "truncated", None),
        (ROW | {"__op": "t"}, "truncated", None),
        (envelope("x", ROW), "unknown_op", None),
        (envelope("c"), "missing_row", None),
        (envelope("c", [1]), "row_not_an_object", None),
        ([1], "not_an_object", None),
        (envelope("c", {"age": 1, "sex": "F"}), "missing_attribute", "member"),
        ({"age": 1, "sex": "F"}, "missing_attribute", "member"),
        (envelope("c", ROW | {"age": 1000}), "outside_levels", "age"),
        (envelope("c", ROW | {"age": "31"}), "unknown_encoding", "age"),
        (envelope("c", ROW | {"sex": [1]}), "wrong_type", "sex"),
    ],
)
def test_what_means_nothing_is_refused_with_its_reason(value, reason, attribute):
    """The next event is read all the same."""
    batch = decoded(event(value), event(envelope("c", ROW)))

    assert batch.bad == [BadRecord(0, reason, attribute)]
    assert rows(batch) == {"1": SCHEMA.cell_code(ROW)}


@pytest.mark.parametrize(
    ("bytes_", "key", "reason"),
    [
        (b"{", b'{"id":1}', "not_json"),
        (b"\0\0\0\0\7{}", b'{"id":1}', "looks_like_confluent"),
        (b'{"schema":[1],"payload":{}}', b'{"id":1}', "not_json"),
        (b"[" * 100_000, b'{"id":1}', "not_json"),
        (b" " * (2**18 + 1), b'{"id":1}', "value_too_large"),
        (None, None, "tombstone_without_key"),
        (compact(envelope("c", ROW)).encode(), None, "missing_key"),
        (compact(envelope("c", ROW)).encode(), b"p1", "key_not_canonical"),
        (None, b"Struct{id=1}", "key_not_canonical"),
    ],
)
def test_bytes_that_cannot_be_read_are_refused(bytes_, key, reason):
    """No bytes end the counter."""
    assert decoded(MemoryRecord(bytes_, key=key)).bad == [BadRecord(0, reason)]


def test_both_formats_place_a_row_alike():
    """What a declaration makes of JSON is one thing, whoever wraps it."""
    odd = [ROW | {"age": 31.0}, ROW | {"sex": None}, ROW | {"member": 1}]
    native = [
        MemoryRecord(json.dumps({"op": "insert", "id": "1", "row": row}).encode())
        for row in odd
    ]

    ours = decoded(*(event(envelope("c", row)) for row in odd)).codes.tolist()

    assert ours == RowCodec(SCHEMA).decode(native).codes.tolist()


def test_rows_of_another_spelling_are_refused_alone():
    """Deletes and broken records keep their places."""
    good, gone = event(envelope("c", ROW)), event(None)
    other = event(envelope("c", ROW), key=compact({"no": 1}))
    broken, message = event([1]), event(envelope("m"))
    batch = decoded(good, other, message, broken, other, gone)

    kept = batch.spelled(batch.origins[0].spelling, 6, "key_spelled_otherwise")

    assert [(bad.index, bad.reason) for bad in kept.bad] == [
        (1, "key_spelled_otherwise"),
        (3, "not_an_object"),
        (4, "key_spelled_otherwise"),
    ]
    assert (kept.ids, kept.passed) == (["1", "1"], [2])
    assert kept.codes.tolist() == [SCHEMA.cell_code(ROW), DELETED]


def test_a_row_counts_in_the_partition_of_its_keys_bytes():
    """Which a converter with schemas makes others than one without."""
    inside = row_format(SCHEMA, 12, Reading("debezium"))
    plain = event(envelope("c", ROW))
    wrapped = event(
        envelope("c", ROW), key='{"schema":{"type":"struct"},"payload":{"id":1}}'
    )

    def homes(one):
        found = set()
        for partition in range(12):
            one.partition = partition
            found |= {partition} if inside.decode([one]).ids else set()
        return found

    assert len(homes(plain)) == len(homes(wrapped)) == 1
    assert homes(plain) != homes(wrapped)
