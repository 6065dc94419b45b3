"""Row events to cells: each kind of bad event, and the fast path beside the slow."""

import pytest

from streams.formats.native import CHUNK
from streams.formats.refusals.diagnosis import DELETED, Reason
from streams.wire.records import BadRecord
from tests.fixtures.row_events import ROW, SCHEMA, Raw, decoded, event


def test_a_good_batch_becomes_columns():
    """Upserts have the cell the schema gives, deletes have none."""
    found = decoded(
        event("u1", id="u1"),
        event("u2", id="u2", op="update", row=ROW | {"sex": None}),
        event("u3", id="u3", op="delete", row=...),
        Raw(b"u4", None),
    )

    assert found.ids == ["u1", "u2", "u3", "u4"]
    assert found.codes.tolist() == [
        SCHEMA.cell_code(ROW),
        SCHEMA.cell_code(ROW | {"sex": None}),
        DELETED,
        DELETED,
    ]
    assert found.bad == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"age": 39.0}, {"age": 39}),
        ({"member": 1}, {"member": True}),
        ({"member": 0.0}, {"member": False}),
    ],
    ids=str,
)
def test_numbers_as_pandas_writes_them_are_what_they_mean(written, meant):
    """On the quick path, and beside a bad record that takes the slow one."""
    one = event(row=ROW | written)

    for found in (decoded(one), decoded(one, Raw(b"u", b"{"))):
        assert found.codes.tolist() == [SCHEMA.cell_code(ROW | meant)]


def test_a_long_batch_keeps_its_order_and_the_place_of_a_bad_record():
    """It is decoded in pieces; the index of a bad record is that in the batch."""
    ids = [f"u{i}" for i in range(CHUNK + 2)]
    records = [event(id_, id=id_) for id_ in ids]
    records[CHUNK] = Raw(b"u", b"{")

    found = decoded(*records)

    assert found.ids == [*ids[:CHUNK], ids[CHUNK + 1]]
    assert [bad.index for bad in found.bad] == [CHUNK]


@pytest.mark.parametrize(
    "fine",
    [
        event(None),
        event(v=1),
        event(v=...),
        event(ts_ms=...),
        event(extra={"deep": [1]}, row=ROW | {"unknown": [1, 2]}),
        event(op="delete", row={"sex": "nonsense"}),
        event("x" * 512, id="x" * 512),
        event("ü" * 256, id="ü" * 256),
        Raw(b"u1", b' \n {"id":"u1","op":"delete"} '),
    ],
    ids=lambda raw: str(raw.value)[:40],
)
def test_it_is_generous_where_nothing_is_lost(fine):
    """Unknown fields, no key, no version, spaces, the longest id."""
    assert decoded(fine).bad == []


BAD = {
    "not_json": [
        Raw(b"u1", b""),
        Raw(b"u1", b"{"),
        Raw(b"u1", b"\xff\xfe"),
        Raw(b"u1", b'{"op":"insert","id":"\xff"}'),
        Raw(b"u1", b'{"op":"insert"} trailing'),
        Raw(b"u1", b'{"op":"delete","id":"\\ud800"}'),
        Raw(b"u1", b"[" * 100_000),
    ],
    "not_an_object": [Raw(b"u1", text) for text in (b"null", b"[]", b"7", b'"x"')],
    "wrong_version": [event(v=2), event(v="1"), event(v=True), event(v=None)],
    "unknown_op": [event(op="upsert"), event(op=...), event(op=None), event(op=["x"])],
    "looks_like_debezium": [
        event(op="c", source={}, after={}, before=None),
        Raw(b"u1", b'{"schema":null,"payload":{"op":"c"}}'),
        Raw(b"u1", b'{"age":31,"__deleted":"false"}'),
        Raw(b"u1", b'{"age":31,"__op":"u"}'),
    ],
    "looks_like_cloudevents": [
        Raw(b"u1", b'{"specversion":"1.0","type":"t","source":"s","id":"1"}')
    ],
    "looks_like_confluent": [Raw(b"u1", b"\0\0\0\0\7" + b'{"op":"insert"}')],
    "missing_id": [event(id=...)],
    "id_not_text": [event(id=7), event(id=None), event(id=["u1"])],
    "empty_id": [event("", id=""), event(None, id=""), Raw(b"", None)],
    "id_too_long": [
        event("x" * 513, id="x" * 513),
        event("ü" * 257, id="ü" * 257),
        Raw(b"x" * 513, None),
    ],
    "key_differs_from_id": [event("u2"), event("", id="u1"), event("U1")],
    "key_not_text": [Raw(b"\xff", None)],
    "missing_row": [event(row=...), event(row=None)],
    "row_not_an_object": [event(row=[1]), event(row="x"), event(row=7)],
    "tombstone_without_key": [Raw(None, None)],
    "value_too_large": [event(extra="x" * 2**18)],
}
CASES = [(reason, raw) for reason, raws in BAD.items() for raw in raws]


@pytest.mark.parametrize(
    ("reason", "raw"), CASES, ids=[f"{r}-{i}" for i, (r, _) in enumerate(CASES)]
)
def test_each_bad_event_has_its_reason_and_the_next_is_processed(reason, raw):
    """One bad record never stops a partition."""
    found = decoded(event(), raw, event())

    assert found.bad == [BadRecord(1, reason)]
    assert found.ids == ["u1", "u1"]
    assert found.codes.tolist() == [SCHEMA.cell_code(ROW)] * 2


def test_every_reason_is_tested():
    """A new reason needs its bad event here; test_partitioning has those of a place."""
    of_events = set(Reason) - {Reason.WRONG_PARTITION}

    assert set(BAD) == {reason.value for reason in of_events}


@pytest.mark.parametrize(
    ("row", "reason", "attribute"),
    [
        ({"sex": "F", "member": True}, "missing_attribute", "age"),
        ({}, "missing_attribute", "age"),
        (ROW | {"age": None}, "null_not_allowed", "age"),
        (ROW | {"age": "31"}, "wrong_type", "age"),
        (ROW | {"age": True}, "wrong_type", "age"),
        (ROW | {"age": [31]}, "wrong_type", "age"),
        (ROW | {"age": 100}, "outside_levels", "age"),
        (ROW | {"sex": "f"}, "outside_levels", "sex"),
        (ROW | {"age": 31.5}, "wrong_type", "age"),
        (ROW | {"member": "yes"}, "wrong_type", "member"),
        (ROW | {"member": 2}, "wrong_type", "member"),
    ],
)
def test_a_bad_row_names_its_attribute(row, reason, attribute):
    """The reason is the schema's, so is the order of looking."""
    assert decoded(event(row=row)).bad == [BadRecord(0, reason, attribute)]


def test_bad_records_are_told_in_order_and_good_ones_stay_in_theirs():
    """Whatever path found them."""
    found = decoded(
        Raw(b"u0", b"{"),
        event("u1", id="u1"),
        event("u2", id="u2", row=ROW | {"sex": "?"}),
        event("u3", id="u3", op="delete"),
        event("u4", id="no"),
        Raw(b"u5", None),
    )

    assert found.ids == ["u1", "u3", "u5"]
    assert found.codes.tolist() == [SCHEMA.cell_code(ROW), DELETED, DELETED]
    assert [(b.index, b.reason) for b in found.bad] == [
        (0, "not_json"),
        (2, "outside_levels"),
        (4, "key_differs_from_id"),
    ]


def test_an_empty_batch_is_empty():
    """A hole in the topic has no records."""
    found = decoded()

    assert (found.ids, found.codes.tolist(), found.bad) == ([], [], [])
