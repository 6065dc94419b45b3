"""The codec's fast path beside its slow one; events on the wire."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidMessage, InvalidRow
from streams.formats.native import RowCodec
from streams.formats.refusals.diagnosis import diagnose
from streams.wire.codec import decode, encode
from streams.wire.messages.events import QueryAsked, RowChanged
from streams.wire.records import BadRecord
from tests.fixtures.row_events import ROW, SCHEMA, Raw, decoded, event


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
    assert found.bad == [BadRecord(1, "missing_attribute", name)]


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
            bad.append(BadRecord(index, error.reason, error.attribute))
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
    with pytest.raises(InvalidMessage, match="field 'v'"):
        decode(QueryAsked, b'{"v":3,"request_id":"r","client":"c"}')


def test_a_row_event_of_ours_is_one_the_codec_reads():
    """Both sides of the wire agree."""
    changed = RowChanged(op="insert", id="u1", row=ROW)

    assert decoded(Raw(b"u1", encode(changed))).ids == ["u1"]
