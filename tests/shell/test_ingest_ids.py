"""Ids of a file's rows: said by somebody, never the same for two files by accident."""

import io
import sys
from dataclasses import replace
from unittest import mock

import pytest

from tests.fixtures.cli import sigma

HEAD = "age,sex,city\n"
ROWS = "36,F,Paris\n71,M,Lyon\n"
# Of the continual rule, with two rows an owner.
BOUNDED = {
    "privacy_budget": 1_000_000,
    "privacy_rule": "continual",
    "privacy_changes_limit": 4,
    "privacy_owner_rows": 2,
}


@pytest.mark.parametrize("name", ["x.2025.csv", "x.2026.csv", "a/x.csv", "b/x.csv"])
def test_a_file_without_ids_is_refused_until_it_has_a_name(check, name):
    """Its own name is shared with others, and the other's rows would be replaced."""
    told = check(HEAD + ROWS, name=name)
    named = check.report(HEAD + ROWS, "--name", "2025", name=name)

    assert told.code == 2
    assert (
        "has no column 'id' that names its rows. Say --id COLUMN, or --name" in told.err
    )
    assert (named["id_column"], named["name"], named["sent"]) == (None, "2025", 2)


def test_a_pipe_without_ids_is_refused_until_it_has_a_name():
    """Two pipes would be one."""
    stdin = io.TextIOWrapper(io.BytesIO((HEAD + ROWS).encode()))
    command = ("ingest", "-", "--format", "csv", "-d", "people", "--check")
    with mock.patch.object(sys, "stdin", stdin):
        told = sigma(*command)

    assert told.code == 2
    assert "standard input has no column 'id'" in told.err


def test_a_column_called_id_names_the_rows_and_that_is_said(check):
    """`sigma ingest people.csv`, as the README has it."""
    text = "id,age,sex,city\nu1,36,F,Paris\n"

    assert "rows are named by the column 'id'" in check(text).out
    assert check.report(text, "--id", "city")["id_column"] == "city"
    assert check.report(text, "--name", "x")["unused_columns"] == ["id"]
    assert check.report('{"id":1,"age":2}', name="p.jsonl")["id_column"] == "id"


def test_a_dataset_may_say_its_id_column(check, tmp_path):
    """It is taken, and a file without it is refused."""
    declared = tmp_path / "people.toml"
    declared.write_text(
        'name = "people"\n[source]\nid = "person"\n'
        '[attributes.sex]\nkind = "categorical"\nlevels = ["F", "M"]\n'
    )

    report = check.report("id,person,sex\n1,ada,F\n", dataset=declared)
    told = check("id,sex\n1,F\n", dataset=declared)

    assert (report["id_column"], report["unused_columns"]) == ("person", ["id"])
    assert told.code == 2
    assert "has no column 'person', the ids" in told.err


def test_an_attribute_called_id_is_no_id(check, tmp_path):
    """Its levels are shared by many rows."""
    declared = tmp_path / "d.toml"
    text = 'name = "d"\n[attributes.id]\nkind = "categorical"\nlevels = ["a"]\n'
    declared.write_text(text)

    assert check("id\na\n", dataset=declared).code == 2
    assert check.report("id\na\n", "--name", "x", dataset=declared)["sent"] == 1


def test_rows_of_owners_are_numbered_in_their_order(check):
    """A row that does not fit has its number, too, and none comes again."""
    text = HEAD.replace("age", "whose,age") + (
        "ada,36,F,Paris\nbob,36,F,Paris\nada,x,F,Paris\nada,7,M,Lyon\n,7,M,Lyon\n"
    )
    check = replace(check, env=BOUNDED)

    report = check.report(text, "--owner", "whose")
    told = check(text, "--owner", "whose").out

    assert (report["sent"], report["repeated_ids"]) == (2, 0)
    assert {(r["reason"], r["first_line"]) for r in report["refused"]} == {
        ("wrong_type", 4),
        ("too_many_rows_of_owner", 5),
        ("no_id", 6),
    }
    assert "rows are numbered for each owner in the column 'whose'" in told


def test_an_id_column_holds_owners_and_numbers_where_owners_are_bounded(check):
    """As counters take them; without a bound ids are what they like."""
    text = "id," + HEAD + "ada/1,36,F,Paris\nada/3,36,F,Paris\neve,36,F,Paris\n"
    assert check.report(text)["sent"] == 3
    check = replace(check, env=BOUNDED)

    report = check.report(text)

    assert report["sent"] == 1
    assert [(r["reason"], r["first_line"]) for r in report["refused"]] == [
        ("too_many_rows_of_owner", 3),
        ("no_owner", 4),
    ]


@pytest.mark.parametrize("other", ["--id", "--name"])
def test_owners_name_rows_and_nothing_else_does(check, other):
    """Which is meant is not guessed."""
    told = check(HEAD + ROWS, "--owner", "city", other, "sex")

    assert told.code == 2
    assert "without --id and --name" in told.err


def test_ids_that_come_again_are_told(check):
    """How many rows, and how often one id; the ids themselves are not."""
    text = "id,age,sex,city\n" + "secret,36,F,Paris\n" * 3 + "b,1,F,Lyon\nc,1,F,Lyon\n"

    told = check(text)
    report = check.report(text)

    assert "warning: 2 rows with an id that comes again (one id in 3 rows)" in told.out
    assert (report["repeated_ids"], report["most_rows_of_one_id"]) == (2, 3)
    assert "secret" not in told.out


def test_a_whole_number_and_its_text_are_one_id(check):
    """7 and "7" name one row."""
    text = '{"id":7,"age":1,"sex":"F","city":"Lyon"}\n' * 2
    text = text.replace("7", '"7"', 1)

    assert check.report(text, name="p.jsonl")["repeated_ids"] == 1
