"""`sigma ingest`: files of every usual shape become row events."""

import gzip
import io
import json
import sys
from unittest import mock

import pytest

from tests.fixtures.cli import sigma
from tests.fixtures.ingesting import PEOPLE

pytestmark = [pytest.mark.kafka]

KINDS = """\
name = "kinds"
[source]
missing = ["?"]
[attributes.flag]
kind = "boolean"
nullable = true
[attributes.size]
kind = "number"
edges = [0.0, 1.5, 3.0]
[attributes.born]
kind = "date"
edges = { start = 2000-01-01, stop = 2001-01-01, every = "month" }
[attributes.mark]
kind = "categorical"
levels = ["?", "!"]
nullable = true
"""

VOYAGE = """\
name = "voyage"
[attributes.survived]
kind = "boolean"
[attributes.age]
kind = "integer"
edges = [0, 18, 65, 100]
nullable = true
[attributes.fare]
kind = "number"
edges = [0, 10, 100]
[attributes.port]
kind = "categorical"
levels = ["S", "C", "Q"]
nullable = true
"""


def test_a_csv_file_becomes_row_events(ingest):
    """Named by a column, typed as declared, without what is not declared."""
    told = ingest(PEOPLE, "--id", "person", "--null", "-")

    assert told.code == 0, told.err
    assert told.out.startswith("sent 3 rows of people.csv to ")
    assert "answers hold them from the first epoch after" in told.out
    assert ingest.rows(3) == {
        "ada": {"age": 36, "sex": "F", "city": "Paris"},
        "bob": {"age": 71, "sex": None, "city": "Lyon"},
        "cleo": {"age": 58, "sex": None, "city": "Oslo"},
    }


def test_the_example_of_the_readme_has_the_ids_of_its_file_as_keys(ingest):
    """Columns id, age, sex, city, and no option."""
    told = ingest("id,age,sex,city\nu1,36,F,Paris\nu2,71,M,Lyon\nu3,,F,Oslo\n")

    assert told.code == 1
    assert {event.id for event in ingest.sent(2)} == {"u1", "u2"}


def test_a_table_that_pandas_wrote_is_read(ingest, tmp_path):
    """Whole numbers and truth values with a point, quotes in names, other headers."""
    declared = tmp_path / "voyage.toml"
    declared.write_text(VOYAGE)
    text = (
        "PassengerId,Survived,Name,Age,Fare,Embarked\n"
        '1,0.0,"Braund, Mr. Owen ""Bo"" Harris",22.0,7.25,S\n'
        '2,1.0,"Cumings, Mrs. (Florence)",,71.2833,C\n'
        "3,1,Heikkinen,4e1,0,\n"
    )
    renamed = ("Survived=survived", "Age=age", "Fare=fare", "Embarked=port")
    options = [word for pair in renamed for word in ("--rename", pair)]

    told = ingest(text, "--id", "PassengerId", *options, dataset=declared)

    assert told.code == 0, told.out + told.err
    assert "columns not used: 'Name'" in told.out
    assert ingest.rows(3) == {
        "1": {"survived": False, "age": 22, "fare": 7.25, "port": "S"},
        "2": {"survived": True, "age": None, "fare": 71.2833, "port": "C"},
        "3": {"survived": True, "age": 40, "fare": 0, "port": None},
    }


def test_every_kind_gets_its_type(ingest, tmp_path):
    """Truth values, floats, dates as text; a declared level is no null word."""
    declared = tmp_path / "kinds.toml"
    declared.write_text(KINDS)
    text = (
        "flag,size,born,mark\nyes,1.25,2000-03-01,?\n0,2,2000-12-31,\n?,0,2000-01-01,!"
    )

    told = ingest(text, "--name", "kinds", name="kinds.csv", dataset=declared)

    assert told.code == 0, told.out
    assert ingest.rows(3) == {
        "kinds:2": {"flag": True, "size": 1.25, "born": "2000-03-01", "mark": "?"},
        "kinds:3": {"flag": False, "size": 2.0, "born": "2000-12-31", "mark": None},
        "kinds:4": {"flag": None, "size": 0.0, "born": "2000-01-01", "mark": "!"},
    }


def test_without_an_id_column_a_name_and_the_line_name_a_row(ingest):
    """The name is the caller's: the same name replaces, another one adds."""
    told = ingest(PEOPLE, "--null", "-", "--name", "people")

    assert "rows are named by their lines: people:1, people:2, …" in told.out
    assert set(ingest.rows(3)) == {"people:2", "people:3", "people:4"}


def test_a_file_without_a_header_takes_the_columns_of_its_dataset(ingest):
    """UCI Adult as it comes: no header, a blank after each comma, ? for missing."""
    line = (
        "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White,"
        " Male, 2174, 0, 40, United-States, <=50K\n"
    )

    told = ingest(line, "--name", "adult", name="adult.data", dataset="adult")

    assert told.code == 0, told.out
    row = ingest.rows(1)["adult:1"]
    assert (row["age"], row["workclass"], row["occupation"]) == (39, "State-gov", None)
    assert "fnlwgt" not in row


def test_columns_can_be_named_and_renamed(ingest):
    """``--columns`` for a file without a header, ``--rename`` for other names."""
    told = ingest(
        "1;36;F;Paris\n",
        *("--columns", "nr,years,sex,city", "--rename", "years=age"),
        *("--delimiter", ";", "--id", "nr"),
    )

    assert told.code == 0, told.err
    assert ingest.rows(1) == {"1": {"age": 36, "sex": "F", "city": "Paris"}}


def test_json_lines_keep_the_types_of_json(ingest):
    """Null is no value, a number is a number, packed files are unpacked."""
    lines = [
        {"id": 7, "age": 36, "sex": None, "city": "Paris", "more": [1]},
        {"id": "x", "age": 71, "sex": "M", "city": None},
    ]
    text = "\n\n".join(map(json.dumps, lines)).encode()

    told = ingest(gzip.compress(text), "--id", "id", name="people.jsonl.gz")

    assert told.code == 0, told.out + told.err
    assert ingest.rows(2) == {
        "7": {"age": 36, "sex": None, "city": "Paris"},
        "x": {"age": 71, "sex": "M", "city": None},
    }


def test_standard_input_is_read_like_a_file(ingest):
    """``sigma ingest -``, with the format said."""
    stdin = io.TextIOWrapper(io.BytesIO(b"age,sex,city\n36,F,Paris\n"))
    with mock.patch.object(sys, "stdin", stdin):
        command = ("ingest", "-", "--format", "csv", "-d", "people")
        told = sigma(*command, "--name", "stdin", **ingest.env)

    assert told.code == 0, told.err
    assert set(ingest.rows(1)) == {"stdin:2"}
