"""Every kind of schema becomes a declaration; what it does not say is asked."""

from __future__ import annotations

import importlib
import re
import tomllib

import pytest

from tests.fixtures.cli import sigma
from tests.fixtures.schema_samples import (
    AVRO,
    DEBEZIUM,
    JSON_SCHEMA,
    MYSQL,
    POSTGRES,
    ROW,
    asked,
    struct,
)


def test_a_dump_of_postgres_becomes_a_declaration(drafted):
    """ENUM, CHECK in the words of people and of pg_dump, ranges, keys, NOT NULL."""
    found, text = drafted("dump.sql", POSTGRES)

    assert found["mood"]["levels"] == ["sad", "it's ok"]
    assert found["sex"] == {"kind": "categorical", "levels": ["F", "M"]}
    assert found["status"]["levels"] == ["new", "old"]
    assert found["status"]["nullable"] is True
    assert found["stars"]["edges"] == {"start": 1, "stop": 6, "step": 1}
    assert found["member"] == found["active"] == {"kind": "boolean"}
    kinds = {name: found[name]["kind"] for name in ("born", "seen", "paid", "orders")}
    assert list(kinds.values()) == ["date", "datetime", "number", "integer"]
    assert "{ start = 0, stop = 100, step = 10 }" in found["age"]["edges"]
    assert "no value is below 0" in found["orders"]["edges"]
    assert asked(found) == {
        *((name, "edges") for name in ("age", "born", "seen", "paid", "orders")),
        ("city", "levels"),
    }
    assert set(found) & {"id", "email", "photo"} == set()
    assert '"id": the primary key' in text
    assert '"photo": its type holds no value' in text
    assert tomllib.loads(text)["source"] == {"id": "id"}
    assert "ada" not in text


def test_a_bound_that_is_left_out_is_no_whole_number_less(drafted):
    """Below 100 there is 99.5, in a decimal; 499 is the greatest integer below 500."""
    checks = "n integer CHECK (n > 0 AND n < 500), x numeric CHECK (x > 0 AND x < 100)"

    found, _ = drafted("t.sql", f"CREATE TABLE t ({checks});")

    assert "cut 1 to 499" in found["n"]["edges"]
    assert "[0, 10, 20" in found["x"]["edges"]
    assert "no value is above 100" in found["x"]["edges"]


def test_a_table_of_mysql_becomes_a_declaration(drafted):
    """ENUM(…), TINYINT(1), a CHECK of whole numbers; its INSERT is not read."""
    found, text = drafted("dump.sql", MYSQL)

    assert found["ward"] == {"kind": "categorical", "levels": ["A", "B"]}
    assert found["urgent"] == {"kind": "boolean", "nullable": True}
    assert found["floor"]["edges"] == [1, 2, 3, 4, 5]
    assert asked(found) == {("at", "edges")}
    assert '"no": the primary key' in text


def test_an_avro_schema_becomes_a_declaration(drafted):
    """Enums, by name too; unions with null; logical types; what cannot be counted."""
    found, text = drafted("visit.avsc", AVRO)

    assert found["ward"] == {"kind": "categorical", "levels": ["A", "B"]}
    assert found["before"] == found["ward"] | {"nullable": True}
    assert found["urgent"] == {"kind": "boolean"}
    assert (found["day"]["kind"], found["at"]["kind"]) == ("date", "datetime")
    assert found["at"]["nullable"] is True
    assert re.findall(r'#   "(\w+)"', text) == ["ref", "tags", "both"]


def test_a_json_schema_becomes_a_declaration(drafted):
    """References, constants, bounds; null and absence are both a missing value."""
    found, text = drafted("visit.json", JSON_SCHEMA)

    assert found["ward"] == {"kind": "categorical", "levels": ["A", "B"]}
    assert found["floor"]["edges"] == {"start": 0, "stop": 5, "step": 1}
    assert found["kind"]["levels"] == ["in", "out"]
    assert found["kind"]["nullable"] is True
    assert found["weight"]["nullable"] is True
    assert asked(found) == {("at", "edges"), ("weight", "edges")}
    assert '"ref": a UUID' in text


@pytest.mark.parametrize("part", [DEBEZIUM, DEBEZIUM["schema"], struct(*ROW)])
def test_a_schema_of_debezium_becomes_a_declaration(drafted, part):
    """Enveloped or flat, by the names of its types; the payload is a row, unread."""
    found, text = drafted("message.json", part, "--id", "id")

    assert found["ward"] == {"kind": "categorical", "levels": ["A", "B"]}
    kinds = {name: table["kind"] for name, table in found.items()}
    assert kinds == {
        "ward": "categorical",
        "day": "date",
        "at": "datetime",
        "cost": "number",
        "urgent": "boolean",
    }
    assert found["at"]["nullable"] is True
    assert "SECRET" not in text
    assert '"id": named by --id' in text


def test_debezium_in_avro_is_found_inside_its_envelope(drafted):
    """As the Avro converter registers it; types may be named before they are used."""
    ward = {"type": "enum", "name": "Ward", "symbols": ["A", "B"]}
    row = {
        "type": "record",
        "name": "Value",
        "fields": [{"name": "ward", "type": "Ward"}],
    }
    fields = [
        {"name": "source", "type": ward},
        {"name": "before", "type": ["null", row]},
        {"name": "after", "type": ["null", "Value"]},
        {"name": "op", "type": "string"},
    ]
    envelope = {"type": "record", "name": "Envelope", "fields": fields}

    found, _ = drafted("v.avsc", envelope)

    assert found == {"ward": {"kind": "categorical", "levels": ["A", "B"]}}


def test_the_head_of_a_csv_file_gives_names_and_no_level(drafted):
    """Everything else is asked; a column called id is what names a row."""
    found, text = drafted("people.csv", "id;sex;age\n7;SECRET;34\n")

    assert asked(found) == {
        (name, key) for name in ("sex", "age") for key in ("kind", "nullable")
    }
    assert "SECRET" not in text
    assert tomllib.loads(text)["source"] == {"id": "id"}


def test_the_head_of_a_parquet_file_gives_names_and_kinds(tmp_path):
    """What its footer says of the types; no value, not even of a dictionary."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "people.parquet"
    sexes = pa.array(["SECRET"]).dictionary_encode()
    columns = {"id": [7], "sex": sexes, "age": [34], "ok": [True]}
    pq.write_table(pa.table(columns), path)

    told = sigma("init", path)

    found = tomllib.loads(told.out)["attributes"]
    kinds = {name: table["kind"] for name, table in found.items()}
    assert kinds == {"sex": "categorical", "age": "integer", "ok": "boolean"}
    assert asked(found) == {("sex", "levels"), ("age", "edges")}
    assert "SECRET" not in told.out


def test_without_its_library_a_parquet_file_says_what_brings_it(tmp_path, monkeypatch):
    """No row of it is looked at in another way."""
    found = importlib.import_module

    def without(name, package=None):
        if name == "pyarrow.parquet":
            raise ModuleNotFoundError(name, name="pyarrow")
        return found(name, package)

    with monkeypatch.context() as patch:
        patch.setattr(importlib, "import_module", without)
        told = sigma("init", tmp_path / "people.parquet")

    assert told.code == 2
    assert "sigma-counting[notebook]" in told.err
