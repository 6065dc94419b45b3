"""The id of a key of several columns, and the one spelling that a topic may have."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import InvalidRow
from streams.formats.encodings.json_encoding import Json

SCHEMA = '{"type":"struct","fields":[{"type":"int32","field":"id"}]}'
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
values = st.integers(-(2**63), 2**63 - 1) | texts | st.booleans()
keys = st.dictionaries(texts, values, min_size=1, max_size=3)


def spelled(key):
    """As Kafka Connect's converter writes it, by Jackson."""
    return _spelled(key).encode()


def _spelled(value):
    if isinstance(value, dict):
        columns = (f"{_spelled(n)}:{_spelled(v)}" for n, v in value.items())
        return "{" + ",".join(columns) + "}"
    if not isinstance(value, str):
        return json.dumps(value)
    return '"' + "".join(map(_character, value)) + '"'


def _character(one):
    short = json.dumps(one, ensure_ascii=False)[1:-1]
    if not short.startswith("\\u") and one <= "\uffff":
        return short
    wide = one.encode("utf-16-be").hex().upper()
    return "".join(f"\\u{wide[at : at + 4]}" for at in range(0, len(wide), 4))


def wrapped(key, schema=SCHEMA):
    """The same with a schema beside it."""
    return b'{"schema":%s,"payload":%s}' % (schema.encode(), spelled(key))


def identified(raw):
    """Id and spelling."""
    return Json().key(raw)


@pytest.mark.parametrize(
    ("key", "id_"),
    [
        ({"id": 17}, "17"),
        ({"id": "17"}, '"17"'),
        ({"id": 1, "region": "r1"}, '[1,"r1"]'),
        ({"id": 1.0}, "1.0"),
        ({"id": True}, "true"),
        ({"no": {"scale": 0, "value": "AQ=="}}, '{"scale":0,"value":"AQ=="}'),
        (17, "17"),
        ("p17", '"p17"'),
        ({"id": "ü"}, '"ü"'),
        ({"id": "\x1f\\u001f"}, r'"\u001F\\u001f"'),
        ({"id": "\U0001f600"}, r'"\uD83D\uDE00"'),
    ],
)
def test_the_id_is_the_text_of_the_values(key, id_):
    """Numbers, text, several columns, or a value that is no object at all."""
    assert identified(spelled(key)).id == id_
    assert identified(wrapped(key)).id == id_


@given(keys, keys)
def test_of_one_spelling_an_id_has_one_key(one, other):
    """Two keys of the same id and the same spelling are the same bytes."""
    first, second = spelled(one), spelled(other)

    assert (identified(first) == identified(second)) == (first == second)
    assert identified(first).spelling != identified(wrapped(one)).spelling


@pytest.mark.parametrize(
    "other",
    [
        spelled({"no": 1}),
        spelled({"id": "1"}),
        spelled({"id": 1.0}),
        spelled(1),
        wrapped({"id": 1}),
        wrapped({"id": 1}, SCHEMA.replace("int32", "int64")),
    ],
    ids=bytes.decode,
)
def test_another_spelling_is_another(other):
    """A renamed or retyped column, a converter with another setting, a bare value."""
    spellings = {identified(raw).spelling for raw in (spelled({"id": 1}), other)}

    assert len(spellings) == 2
    assert identified(spelled({"id": 2})).spelling in spellings


@pytest.mark.parametrize(
    "raw",
    [
        b'{"id": 1}',
        b' {"id":1}',
        b'{"id":1,"id":1}',
        b'{"id":"\\u00fc"}',
        b'{"id":"\\u001f"}',
        '{"id":"\U0001f600"}'.encode(),
        b'{"id":01}',
        b'{"id":-0}',
        b'{"id":null}',
        b'{"id":[1]}',
        b'{"id":{"a":1}}',
        b"{}",
        b"[1]",
        b"null",
        b"",
        b"p17",
        b"Struct{id=17}",
        b"\xff",
        b'{"schema": {}, "payload":{"id":1}}',
        b'{"payload":{"id":1},"schema":{"type":"struct"}}',
        b'{"id":' + b"[" * 10_000,
    ],
)
def test_what_kafka_connect_would_not_write_is_refused(raw):
    """Spaces, escapes, doubles, null, nesting, text without quotes: two spellings."""
    with pytest.raises(InvalidRow, match="key not canonical"):
        identified(raw)


def test_an_id_is_bounded():
    """It is kept for every row."""
    assert len(identified(spelled({"id": "x" * 510})).id) == 512
    with pytest.raises(InvalidRow, match="id too long"):
        identified(spelled({"id": "x" * 511}))
