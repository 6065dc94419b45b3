"""Row events to cells: each kind of bad event, and the fast path beside the slow."""

import json
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.attribute import Attribute
from sigmacount.errors import InvalidRow
from sigmacount.schema import Schema
from streams.codec import Bad, RowCodec, UnknownVersion, decode, encode
from streams.diagnose import DELETED, Reason, diagnose
from streams.events import QueryAsked, RowChanged
from streams.formats import row_format

SCHEMA = Schema(
    "people",
    (
        Attribute.binned("age", "integer", (0, 30, 60, 100)),
        Attribute.categorical("sex", ("F", "M"), nullable=True),
        Attribute.boolean("member"),
    ),
)
ROW = {"age": 31, "sex": "F", "member": True}


class Raw(NamedTuple):
    """What the codec needs of a record."""

    key: bytes | None
    value: bytes | None


def event(key="u1", **changes):
    """A good insert of ``u1``, changed; a field set to ``...`` is left out."""
    fields = {"op": "insert", "id": "u1", "row": ROW, "ts_ms": 1} | changes
    spelled = {name: value for name, value in fields.items() if value is not ...}
    return Raw(key and key.encode(), json.dumps(spelled).encode())


def decoded(*records):
    """What the codec of the schema makes of them."""
    return RowCodec(SCHEMA).decode(records)


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

    assert found.bad == [Bad(1, reason)]
    assert found.ids == ["u1", "u1"]
    assert found.codes.tolist() == [SCHEMA.cell_code(ROW)] * 2


def test_every_reason_is_tested():
    """A new reason needs its bad event here."""
    assert set(BAD) == {reason.value for reason in Reason}


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
        (ROW | {"member": "yes"}, "wrong_type", "member"),
    ],
)
def test_a_bad_row_names_its_attribute(row, reason, attribute):
    """The reason is the schema's, so is the order of looking."""
    assert decoded(event(row=row)).bad == [Bad(0, reason, attribute)]


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


def test_no_reason_quotes_a_value():
    """Reasons travel in headers and metrics."""
    with pytest.raises(InvalidRow) as refused:
        diagnose(SCHEMA, b"u1", event(row=ROW | {"sex": "secret"}).value)

    assert "secret" not in str(refused.value) + repr(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "class",
        "for",
        "a0",
        "a1",
        "with space",
        "kebab-case",
        "ümlaut",
        "__init__",
        "__struct_fields__",
        'quo"ted',
        "back\\slash",
        "new\nline",
        "1st",
        "self",
    ],
)
def test_an_attribute_may_be_called_anything(name):
    """Names that Python, msgspec or JSON would stumble over."""
    schema = Schema(
        "odd",
        (
            Attribute.categorical(name, ("x", "y")),
            Attribute.categorical("other", ("p", "q")),
        ),
    )
    row = {name: "y", "other": "p"}
    good = Raw(b"u", json.dumps({"op": "insert", "id": "u", "row": row}).encode())
    less = Raw(
        b"u", json.dumps({"op": "insert", "id": "u", "row": {"other": "p"}}).encode()
    )

    found = RowCodec(schema).decode([good, less])

    assert found.codes.tolist() == [schema.cell_code(row)]
    assert found.bad == [Bad(1, "missing_attribute", name)]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
near_rows = st.fixed_dictionaries(
    {},
    optional={
        "age": st.integers(-5, 110) | anything,
        "sex": st.sampled_from(["F", "M", None, "x"]) | anything,
        "member": st.booleans() | anything,
    },
)
near_events = st.fixed_dictionaries(
    {},
    optional={
        "op": st.sampled_from(["insert", "update", "delete"]) | anything,
        "id": st.sampled_from(["u1", "u2", ""]) | anything,
        "row": near_rows | anything,
        "v": st.just(1) | anything,
        "ts_ms": anything,
    },
)
near_values = (
    st.none()
    | near_events.map(lambda e: json.dumps(e).encode())
    | st.binary(max_size=20)
    | anything.map(lambda e: json.dumps(e).encode())
)
near_records = st.builds(
    Raw, st.sampled_from([None, b"u1", b"u2", b"", b"\xff"]), near_values
)


@given(st.lists(near_records, max_size=8))
def test_the_fast_path_agrees_with_the_slow_one(records):
    """Whatever comes: the same ids, cells and reasons as one look at a time."""
    ids, codes, bad = [], [], []
    for index, record in enumerate(records):
        try:
            id_, code = diagnose(SCHEMA, record.key, record.value)
        except InvalidRow as error:
            bad.append(Bad(index, error.reason, error.attribute))
        else:
            ids.append(id_)
            codes.append(code)

    found = decoded(*records)

    assert (found.ids, found.codes.tolist(), found.bad) == (ids, codes, bad)


def test_an_event_survives_the_wire():
    """What is encoded is decoded."""
    asked = QueryAsked(request_id="r", client="c", where={"sex": ["F"]})

    assert decode(QueryAsked, encode(asked)) == asked


def test_unknown_fields_are_ignored():
    """A newer producer of the same version may say more."""
    text = b'{"request_id":"r","client":"c","where":"","new":1}'

    assert decode(QueryAsked, text) == QueryAsked(request_id="r", client="c")


def test_an_unknown_version_is_refused():
    """An old worker never half-understands a new message."""
    with pytest.raises(UnknownVersion):
        decode(QueryAsked, b'{"v":2,"request_id":"r","client":"c"}')


def test_refusals_of_the_wire_are_one_family():
    """One ``except`` puts a record among the dead letters."""
    assert issubclass(UnknownVersion, msgspec.DecodeError)
    with pytest.raises(msgspec.DecodeError):
        decode(QueryAsked, b"{}")


def test_a_row_event_of_ours_is_one_the_codec_reads():
    """Both sides of the wire agree."""
    changed = RowChanged(op="insert", id="u1", row=ROW)

    assert decoded(Raw(b"u1", encode(changed))).ids == ["u1"]


def test_the_native_format_is_the_codec():
    """Room for others behind the same protocol."""
    assert row_format("native", SCHEMA).decode([event()]).ids == ["u1"]
    with pytest.raises(KeyError):
        row_format("debezium", SCHEMA)
