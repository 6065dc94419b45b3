"""A registry of schemas: asked once for each, within bounds, with its password."""

from __future__ import annotations

import base64
import json

import pytest

from config.settings import InvalidSettings
from sigmacount.errors import StreamUnavailable
from streams.formats.registry import http_registry
from streams.formats.registry.avro_schema import avro_schema
from streams.formats.registry.folder import Folder
from streams.formats.registry.http_registry import HttpRegistry
from streams.formats.registry.schemas import KNOWN, RegisteredSchema, Schemas
from tests.fixtures.schema_registry import small_registry
from workers.clients import load_settings, rows_reading

NESTED = "null"
for _ in range(100):
    NESTED = {"type": "array", "items": NESTED}
LOOP = {
    "type": "record",
    "name": "Loop",
    "fields": [{"name": "next", "type": ["null", "Loop"]}],
}


def chain(fields, leaf, depth):
    """Records that are named one after the other, each with the last one within."""
    inner = [{"name": "x", "type": leaf}]
    named = [{"type": "record", "name": "r0", "fields": inner}]
    for i in range(1, depth):
        inner = [{"name": name, "type": f"r{i - 1}"} for name in fields]
        named.append({"type": "record", "name": f"r{i}", "fields": inner})
    members = [{"name": f"f{i}", "type": each} for i, each in enumerate(named)]
    return {"type": "record", "name": "top", "fields": members}


@pytest.mark.parametrize(
    "schema",
    [
        LOOP,
        chain("a", "int", 100),
        chain("ab", "null", 20),
        {"type": "array", "items": chain("", "int", 9)},
        {"type": "map", "values": chain("", "int", 9)},
        NESTED,
        {"type": "array", "items": "null"},
        {"type": "array", "items": {"type": "fixed", "name": "f", "size": 0}},
        {"type": "array", "items": {"type": "record", "name": "r", "fields": []}},
        {"type": "strange"},
        "Nobody",
        17,
        "no schema",
    ],
)
def test_a_schema_that_could_make_a_short_record_endless_is_not_used(schema):
    """Of a recursive one a record may nest as deep as it is long: a bomb."""
    assert avro_schema(RegisteredSchema("AVRO", json.dumps(schema).encode())) is None


@pytest.mark.parametrize(
    "schema",
    [
        chain("ab", "int", 10),
        chain("ab", "null", 8),
        {"type": "array", "items": chain("", "int", 3)},
        {"type": "array", "items": chain("abcdefgh", ["null", "string"], 2)},
        {"type": "map", "values": "null"},
    ],
)
def test_what_takes_bytes_may_be_wide(schema):
    """A few values without bytes are no bomb, nor records in a list."""
    assert avro_schema(RegisteredSchema("AVRO", json.dumps(schema).encode()))


@pytest.mark.parametrize(
    "registered",
    [
        RegisteredSchema("PROTOBUF", b'"string"'),
        RegisteredSchema("AVRO", b'"string"', whole=False),
        RegisteredSchema("AVRO", b" " * 2**20 + b'"string"'),
        RegisteredSchema("AVRO", b"{"),
    ],
)
def test_a_schema_of_another_kind_size_or_with_references_is_not_used(registered):
    """Each is a dead letter, and none is an exception."""
    assert avro_schema(registered) is None
    assert avro_schema(RegisteredSchema("AVRO", b'"string"')) is not None


@pytest.mark.parametrize(
    "instead",
    [
        (500, {}, b""),
        (401, {}, b""),
        (404, {}, b"<html>"),
        (302, {"location": "/schemas/ids/1"}, b""),
        (200, {}, b"<html>"),
        (200, {}, b'{"schema": 1}'),
        (200, {}, b" " * (2**21 + 1)),
    ],
)
async def test_a_registry_that_answers_something_else_is_asked_again(instead):
    """A row is no dead letter for a server that is down, mistaken or elsewhere."""
    with small_registry() as registry:
        number, registry.instead = registry.add("string"), instead
        known = HttpRegistry(registry.url)

        with pytest.raises(StreamUnavailable) as away:
            await known.fetch(number)

        assert away.value.retriable
        assert len(registry.asked) == 1
        registry.instead = None
        assert await known.fetch(number) == RegisteredSchema("AVRO", b"string")


async def test_a_registry_that_is_not_there_is_asked_again():
    """Nobody listens at that port."""
    with pytest.raises(StreamUnavailable, match="SIGMA_ROWS_REGISTRY"):
        await HttpRegistry("http://127.0.0.1:9").fetch(1)


async def test_a_registry_that_drips_is_asked_again(monkeypatch):
    """Each byte comes in time, and all of them would take for ever."""
    monkeypatch.setattr(http_registry, "TIMEOUT_SECONDS", 0.2)
    with small_registry() as registry:
        number, registry.drip = registry.add("string"), 0.05

        with pytest.raises(StreamUnavailable, match="TimeoutError"):
            await HttpRegistry(registry.url).fetch(number)


async def test_a_password_goes_with_each_request():
    """And in no text."""
    with small_registry() as registry:
        known = HttpRegistry(registry.url, "me", "secret")
        assert await known.fetch(7) is None

    [(path, headers)] = registry.asked
    assert path == "/schemas/ids/7"
    assert (
        headers["Authorization"] == "Basic " + base64.b64encode(b"me:secret").decode()
    )


class Counted:
    """A registry of one kind of schema, which counts how often it is asked."""

    def __init__(self):
        self.asked = []

    async def fetch(self, number):
        """Odd ones are there."""
        self.asked.append(number)
        return RegisteredSchema("AVRO", b'"string"') if number % 2 else None


async def test_what_is_known_is_bounded_and_asked_once():
    """Whatever numbers a stranger writes; what is missing, again after a while."""
    clock, counted = [0.0], Counted()
    schemas = Schemas(counted, avro_schema, lambda: clock[0])

    await schemas.prepare([1, 2])
    await schemas.prepare([1, 2])
    assert counted.asked == [1, 2]
    clock[0] = 31.0
    await schemas.prepare([1, 2])
    assert counted.asked == [1, 2, 2]
    for start in range(3, 2_000, 100):
        await schemas.prepare(range(start, start + 100))
    assert sum(map(schemas.known, range(5_000))) <= KNOWN


def test_the_settings_name_a_registry_where_one_is_needed(monkeypatch, tmp_path):
    """By URL or by path, and only there."""
    monkeypatch.setenv("SIGMA_DATASET", "people")
    monkeypatch.setenv("SIGMA_ROWS_ENCODING", "avro")
    with pytest.raises(InvalidSettings, match="REGISTRY"):
        load_settings()
    monkeypatch.setenv("SIGMA_ROWS_REGISTRY", str(tmp_path))
    assert isinstance(rows_reading(load_settings()).registry, Folder)
    monkeypatch.setenv("SIGMA_ROWS_REGISTRY", "https://registry:8081")
    monkeypatch.setenv("SIGMA_ROWS_REGISTRY_PASSWORD", "secret")
    assert isinstance(rows_reading(load_settings()).registry, HttpRegistry)
    monkeypatch.setenv("SIGMA_ROWS_FORMAT", "cloudevents")
    with pytest.raises(InvalidSettings, match="cloudevents"):
        load_settings()
