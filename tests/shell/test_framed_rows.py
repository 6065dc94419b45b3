"""Rows whose schema is in a registry: Avro and JSON Schema in Confluent's framing."""

from __future__ import annotations

import base64
import io
import json
from datetime import date

import fastavro
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import StreamUnavailable
from streams.formats.choice import Reading, row_format
from streams.formats.refusals.diagnosis import DELETED
from streams.formats.registry.folder import Folder
from streams.formats.registry.http_registry import HttpRegistry
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.schema_registry import small_registry

SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.binned(
            "born", "date", [date(1970, 1, 1), date(2000, 1, 1), date(2030, 1, 1)]
        ),
        Attribute.binned("pay", "number", [0, 100, 1000]),
    ),
)
PERSON = {
    "type": "record",
    "name": "Person",
    "fields": [
        {"name": "sex", "type": {"type": "enum", "name": "Sex", "symbols": ["F", "M"]}},
        {"name": "born", "type": {"type": "int", "logicalType": "date"}},
        {
            "name": "pay",
            "type": [
                "null",
                {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
            ],
        },
    ],
}
NATIVE = {
    "type": "record",
    "name": "RowChanged",
    "fields": [
        {"name": "op", "type": "string"},
        {"name": "id", "type": "string"},
        {"name": "row", "type": ["null", PERSON]},
    ],
}
ADA = {"sex": "F", "born": 11_000, "pay": (12_345).to_bytes(2, "big")}
CELL = SCHEMA.cell_code({"sex": "F", "born": "2000-02-13", "pay": 123.45})


@pytest.fixture(scope="module")
def shared():
    """One server for all."""
    with small_registry() as registry:
        yield registry


@pytest.fixture
def registry(shared):
    """Empty, and honest."""
    shared.schemas.clear()
    shared.asked.clear()
    shared.instead = None
    return shared


def framed(number, body):
    """As Confluent's serializers write it."""
    return b"\0" + number.to_bytes(4, "big") + body


def avro(number, schema, value):
    """A value by its schema, without logical types."""
    out = io.BytesIO()
    text = json.dumps(schema).replace("logicalType", "unread")
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(text)), value)
    return framed(number, out.getvalue())


async def read(registry, *records, form="native", encoding="avro"):
    """What a format makes of these records."""
    where = HttpRegistry(registry.url) if hasattr(registry, "url") else registry
    format_ = row_format(SCHEMA, 1, Reading(form, encoding, "murmur2", where))
    await format_.prepare(records)
    return format_.decode(records)


async def reason(registry, value, **how):
    """Why a record is a dead letter."""
    [bad] = (await read(registry, MemoryRecord(value, key=b"ada"), **how)).bad
    return str(bad.reason)


async def test_native_rows_in_avro_are_rows(registry):
    """Enum, date, decimal and unions with null; the key is the id as it is."""
    number = registry.add(NATIVE)
    live = avro(number, NATIVE, {"op": "insert", "id": "ada", "row": ADA})
    gone = avro(number, NATIVE, {"op": "delete", "id": "bob", "row": None})

    found = await read(
        registry,
        MemoryRecord(live, key=b"ada"),
        MemoryRecord(gone),
        MemoryRecord(None, key=b"cy"),
    )

    assert (found.ids, found.bad) == (["ada", "bob", "cy"], [])
    assert found.codes.tolist() == [CELL, DELETED, DELETED]
    assert len(registry.asked) == 1


def envelope():
    """As Debezium registers it: the second mention of a type is its name."""
    day = {"type": "int", "connect.version": 1, "connect.name": "io.debezium.time.Date"}
    fields = [{"name": "sex", "type": "string"}, {"name": "born", "type": day}]
    money = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    money |= {"connect.name": "org.apache.kafka.connect.data.Decimal"}
    money |= {"connect.parameters": {"scale": "2"}}
    fields.append({"name": "pay", "type": ["null", money], "default": None})
    value = {"type": "record", "name": "Value", "fields": fields}
    source = {
        "type": "record",
        "name": "Source",
        "fields": [{"name": "db", "type": "string"}],
    }
    return {
        "type": "record",
        "name": "Envelope",
        "namespace": "db.people",
        "fields": [
            {"name": "before", "type": ["null", value], "default": None},
            {"name": "after", "type": ["null", "Value"], "default": None},
            {"name": "source", "type": source},
            {"name": "op", "type": "string"},
        ],
    }


KEY = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]}


async def test_debezium_in_avro_is_read_by_its_schemas(registry):
    """Types by their names; the id is that of the key's columns, as in JSON."""
    key, number = registry.add(KEY), registry.add(envelope())
    event = {"before": None, "after": ADA, "source": {"db": "x"}, "op": "c"}
    records = [
        MemoryRecord(avro(number, envelope(), event), key=avro(key, KEY, {"id": 7})),
        MemoryRecord(None, key=avro(key, KEY, {"id": 8})),
    ]

    found = await read(registry, *records, form="debezium")

    assert (found.ids, found.bad) == (["7", "8"], [])
    assert found.codes.tolist() == [CELL, DELETED]


async def test_a_key_of_another_schema_is_spelled_otherwise(registry):
    """Its bytes are others, so the same row could be in two partitions."""
    one, two = registry.add(KEY), registry.add(KEY | {"doc": "the same"})
    records = [MemoryRecord(None, key=avro(n, KEY, {"id": 7})) for n in (one, two)]

    first, second = (await read(registry, *records, form="debezium")).origins

    assert first.spelling != second.spelling


async def test_json_in_the_framing_is_read_in_both_forms(registry):
    """Connect's names in a JSON Schema say what its numbers mean."""
    number = registry.add({"type": "object"}, "JSON")
    row = {"sex": "F", "born": "2000-02-13", "pay": 123.45}
    native = json.dumps({"op": "insert", "id": "ada", "row": row}).encode()

    found = await read(
        registry,
        MemoryRecord(framed(number, native), key=b"ada"),
        encoding="json-schema",
    )

    assert (found.ids, found.codes.tolist(), found.bad) == (["ada"], [CELL], [])
    members = {
        "born": {
            "type": "integer",
            "title": "io.debezium.time.Date",
            "connect.type": "int32",
        },
        "pay": {
            "oneOf": [
                {"type": "null"},
                {
                    "type": "string",
                    "title": "org.apache.kafka.connect.data.Decimal",
                    "connect.type": "bytes",
                    "connect.parameters": {"scale": "2"},
                },
            ]
        },
        "sex": {"type": "string"},
    }
    after = {"oneOf": [{"type": "null"}, {"type": "object", "properties": members}]}
    number = registry.add({"type": "object", "properties": {"after": after}}, "JSON")
    coded = ADA | {"pay": base64.b64encode(ADA["pay"]).decode()}
    event = {"op": "u", "before": None, "after": coded, "source": {}}
    record = MemoryRecord(
        framed(number, json.dumps(event).encode()), key=framed(number, b'{"id":7}')
    )

    found = await read(registry, record, form="debezium", encoding="json-schema")

    assert (found.ids, found.codes.tolist(), found.bad) == (["7"], [CELL], [])


async def test_what_cannot_be_read_is_a_dead_letter_that_says_why(registry):
    """Nothing of it is guessed, and the others are read."""
    number = registry.add(NATIVE)
    good = avro(number, NATIVE, {"op": "insert", "id": "ada", "row": ADA})

    assert await reason(registry, b'{"op": "insert"}') == "not_framed"
    assert await reason(registry, b"\0\0\0") == "not_framed"
    assert await reason(registry, framed(99, b"")) == "unknown_schema"
    assert await reason(registry, framed(number, b"")) == "not_readable"
    assert await reason(registry, good + b"x") == "not_readable"
    assert await reason(registry, good[:-1]) == "not_readable"
    assert (
        await reason(registry, framed(number, b"\xfe" * 8 + b"\x7f")) == "not_readable"
    )
    assert await reason(registry, good, encoding="json-schema") == "unusable_schema"


async def test_schemas_may_be_files(tmp_path):
    """Where no registry is to be reached; a directory that is missing is a failure."""
    (tmp_path / "1.avsc").write_text(json.dumps(NATIVE), encoding="utf-8")
    value = avro(1, NATIVE, {"op": "insert", "id": "ada", "row": ADA})

    found = await read(Folder(tmp_path), MemoryRecord(value))

    assert (found.ids, found.codes.tolist()) == (["ada"], [CELL])
    assert await Folder(tmp_path).fetch(2) is None
    with pytest.raises(StreamUnavailable):
        await Folder(tmp_path / "none").fetch(1)
