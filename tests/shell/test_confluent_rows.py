"""Rows as Confluent's own serializers write them, with a registry that they talk to."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.schema_registry import small_registry
from tests.shell.test_framed_rows import CELL, NATIVE, read

AT = SerializationContext("rows", MessageField.VALUE)
ANY = {"title": "Row", "type": "object"}


@pytest.mark.parametrize("encoding", ["avro", "json-schema"])
async def test_what_a_producer_serializes_is_read(encoding):
    """Its schema is registered by the client, and fetched by its number."""
    born, pay = ("2000-02-13", 123.45)
    with small_registry() as registry:
        client = SchemaRegistryClient({"url": registry.url})
        if encoding == "avro":
            born, pay = date.fromisoformat(born), Decimal("123.45")
            serialize = AvroSerializer(client, json.dumps(NATIVE))
        else:
            serialize = JSONSerializer(json.dumps(ANY), client)
        row = {"sex": "F", "born": born, "pay": pay}
        value = serialize({"op": "insert", "id": "ada", "row": row}, AT)

        found = await read(registry, MemoryRecord(value, key=b"ada"), encoding=encoding)

    assert (found.ids, found.codes.tolist(), found.bad) == (["ada"], [CELL], [])
