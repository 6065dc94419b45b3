"""`sigma init`: levels that are named, questions that are answered, files that stay."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from cli.drafting import toml_text
from config.declarations import datasets
from tests.fixtures.cli import sigma
from tests.fixtures.schema_samples import POSTGRES, asked


def test_levels_come_from_a_reference(drafted, tmp_path):
    """By the column of the attribute's name, by a name, or by the only one."""
    (tmp_path / "cities.csv").write_text("code,city\n1,Lyon\n2,Nantes\n3,Lyon\n")
    (tmp_path / "floors.csv").write_text("any\n3\n1\n")
    given = (f"city={tmp_path}/cities.csv", f"floor={tmp_path}/floors.csv")
    sql = "CREATE TABLE t (city text NOT NULL, floor int NOT NULL, town text NOT NULL)"

    found, _ = drafted(
        "t.sql",
        sql,
        *(word for each in given for word in ("--levels", each)),
        *("--levels", f"town={tmp_path}/cities.csv:code"),
    )

    assert found["city"]["levels"] == ["Lyon", "Nantes"]
    assert found["floor"]["edges"] == [1, 2, 3, 4]
    assert found["town"]["levels"] == ["1", "2", "3"]
    assert asked(found) == set()


def test_a_draft_is_refused_with_every_question_and_loads_once_they_are_answered(
    tmp_path,
):
    """Filled in, it is a declaration like any other."""
    (tmp_path / "people.sql").write_text(POSTGRES)
    target = tmp_path / "people.toml"
    told = sigma("init", tmp_path / "people.sql", "-o", target)
    assert "12 attributes, 6 questions to answer" in told.err

    refused = sigma("check", target)

    assert refused.code == 2
    assert refused.err.count("is an open question") == 6
    assert "attribute 'city': levels is an open question: all values" in refused.err
    answers = {
        "integer": "[0, 18, 65, 100]",
        "number": "[0.0, 10.0, 100.0]",
        "date": "[1900-01-01, 2000-01-01, 2030-01-01]",
        "datetime": "[2024-01-01T00:00:00Z, 2025-01-01T00:00:00Z]",
    }
    text = target.read_text()
    for kind, edges in answers.items():
        text = re.sub(rf"(kind = \"{kind}\"\nedges = )['\"]\?.*", rf"\1{edges}", text)
    text = re.sub(r"levels = ['\"]\?.*", 'levels = ["Lyon"]', text)
    target.write_text(text)
    assert datasets.load_schema(target).names[:2] == ("mood", "sex")


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    """Unless --force says so; nothing of it is lost before."""
    (tmp_path / "t.sql").write_text("CREATE TABLE t (ok boolean NOT NULL)")
    target = tmp_path / "t.toml"
    target.write_text("mine")

    told = sigma("init", tmp_path / "t.sql", "-o", target)

    assert (told.code, target.read_text()) == (2, "mine")
    assert "--force" in told.err
    assert sigma("init", tmp_path / "t.sql", "-o", target, "--force").code == 0
    assert datasets.load_schema(target).names == ("ok",)


@pytest.mark.parametrize(
    ("name", "text", "arguments", "said"),
    [
        ("a.sql", "CREATE TABLE (", (), "cannot be read as SQL"),
        ("a.sql", "SELECT 1", (), "creates no table"),
        (
            "a.sql",
            "CREATE TABLE a (x int)",
            ("--dialect", "latin"),
            "Another --dialect",
        ),
        (
            "a.sql",
            "CREATE TABLE a (x int)",
            ("-o", "no/where.toml"),
            "cannot be written",
        ),
        ("none.sql", None, (), "cannot be read"),
        (
            "a.sql",
            "CREATE TABLE a (x int); CREATE TABLE b (y int)",
            (),
            "--table a | b",
        ),
        ("a.sql", "CREATE TABLE a (x int)", ("--table", "c"), "no table 'c'"),
        ("a.sql", "CREATE TABLE a (x int)", ("--id", "z"), "no column 'z'"),
        ("a.sql", "CREATE TABLE a (x int)", ("--levels", "z=f"), "--levels takes"),
        ("a.sql", "CREATE TABLE a (x int)", ("--levels", "x=f"), "cannot be read"),
        ("a.sql", "CREATE TABLE a (x int primary key)", (), "none of its 1 columns"),
        ("a.json", "{}", (), "is no schema"),
        ("a.json", "{", (), "is no schema"),
        ("a.csv", "a,a\n", (), "is no header"),
        ("a.csv", "", (), "is no header"),
    ],
)
def test_what_cannot_be_drafted_is_refused(tmp_path, name, text, arguments, said):
    """With exit code 2 and what to do."""
    if text is not None:
        (tmp_path / name).write_text(text)

    told = sigma("init", tmp_path / name, *arguments)

    assert told.code == 2, told.err
    assert said in told.err


PAGE = (Path(__file__).parents[2] / "docs/declaration.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```(?:sql|text)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_page_shows_what_the_verbs_print(tmp_path, monkeypatch):
    """The table, its draft, and what `sigma check` says of the shipped one."""
    table, drafted, checked = SHOWN
    (tmp_path / "people.sql").write_text(table)
    (tmp_path / "cities.csv").write_text("no,city\n1,Lyon\n2,Nantes\n3,Paris\n")
    monkeypatch.chdir(tmp_path)
    terms = ("--epsilon", 0.5, "--budget", 10, "--churn", 0.001, "--epoch", 3600)

    told = sigma("init", "people.sql", "--levels", "city=cities.csv")

    assert told.out == drafted
    assert sigma("check", "people", *terms).out == checked


@pytest.mark.parametrize("word", ['a"b', "it's", "a\\b", "zwei Wörter", "x.y", "\x7f"])
def test_a_strange_name_or_level_stays_what_it_is(drafted, word):
    """TOML's quotes and escapes are ours to get right."""
    schema = {
        "title": "t",
        "properties": {word: {"enum": [word, "b"]}, "q": {"type": "string"}},
        "required": [word],
    }

    found, _ = drafted("t.json", schema)

    assert found[word] == {"kind": "categorical", "levels": [word, "b"]}
    assert tomllib.loads(f"x = {toml_text.literal(word)}") == {"x": word}


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-(2**63), 2**63 - 1, "cut -9223372036854775808 to 9223372036854775807"),
        (5, 3, "where bins begin and end"),
        (0, 99, "{ start = 0, stop = 100, step = 10 }"),
        (0, 36, "[0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 37]"),
        (0, float("inf"), "no value is below 0"),
        (0.0, 5.0, "[0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, { after = 5 }]"),
        (-1.5, -1.5, "{ start = 0.0, stop = 1.0, step = 0.1 }"),
        (5.5, 3.5, "{ start = 0.0, stop = 1.0, step = 0.1 }"),
    ],
)
def test_bounds_become_a_proposal(drafted, low, high, said):
    """Whatever they are; the cuts are a person's to choose."""
    kind = "number" if isinstance(low, float) else "integer"
    schema = {"properties": {"n": {"type": kind, "minimum": low, "maximum": high}}}

    found, _ = drafted("t.json", schema)

    assert said in found["n"]["edges"]


def test_what_is_wrong_with_a_dump_is_said_without_its_rows(tmp_path):
    """A row that cuts a statement off is nobody's to read in a terminal."""
    (tmp_path / "d.sql").write_text("INSERT INTO t VALUES ('SECRET);\n")

    told = sigma("init", tmp_path / "d.sql")

    assert told.code == 2
    assert "cannot be read as SQL" in told.err
    assert "SECRET" not in told.err
