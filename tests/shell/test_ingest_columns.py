"""Columns of a file: each once, all that are needed, and the rest named."""

import pytest

HEAD = "id,age,sex,city\n"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("age,age,sex,city,id\n", (), "names column 'age' twice: columns 1 and 2"),
        ("id,Age,sex,city\n", (), "letter by letter it is --rename Age=age"),
        ("9,x-secret,F,Paris\n", (), "has no column age, sex, city. A file without"),
        (HEAD.replace(",", ";"), (), "say --delimiter ';'"),
        (HEAD.replace(",", "\t"), (), r"say --delimiter '\t'"),
        (HEAD, ("--delimiter", ";"), "say --delimiter ','"),
        ("sep=;\n" + HEAD.replace(",", ";"), (), "says sep=; in its first line"),
        ("1;36;F;Lyon\n", ("--columns", "id,age,sex,city"), "say --delimiter ';'"),
        (HEAD, ("--delimiter", "ab"), r"a tab is written --delimiter '\t'"),
        (HEAD, ("--delimiter", ""), "is not one character"),
        (HEAD, ("--delimiter", '"'), "is not one character"),
        (HEAD, ("--columns", "id,age,sex,city,age"), "--columns names 'age' twice"),
        (
            HEAD,
            ("--rename", "a=age", "--rename", "b=age"),
            "--rename names 'age' twice",
        ),
        (HEAD, ("--rename", "a=age", "--rename", "a=sex"), "--rename names 'a' twice"),
        (HEAD, ("--rename", "a=age"), "has no column a"),
        (HEAD, ("--id", "person"), "has no column 'person', the ids"),
        (HEAD, ("--id", "id", "--name", "x"), "say one of them"),
        (HEAD, ("--name", ""), "--name must not be empty"),
    ],
)
def test_columns_that_are_not_clear_are_not_guessed(check, text, options, words):
    """Exit code 2 and the option that helps; nothing of the first line is printed."""
    told = check(text + "1,36,F,Paris\n", *options)

    assert told.code == 2, told
    assert words in told.err
    assert "secret" not in told.err


@pytest.mark.parametrize("tab", [r"\t", "\t", "tab"])
def test_a_tab_can_be_said(check, tab):
    """Where a shell gives none."""
    report = check.report(
        HEAD.replace(",", "\t") + "1\t9\tF\tLyon\n", "--delimiter", tab
    )

    assert report["sent"] == 1


def test_the_line_that_says_sep_is_no_header(check):
    """Where the delimiter is the one that was said."""
    text = "sep=;\r\nid;age;sex;city\r\n1;36;F;Lyon\r\n"

    assert check.report(text, "--delimiter", ";")["sent"] == 1


def test_a_header_is_seen_where_none_was_expected(check):
    """Names of columns are no row, and their order is that of the file."""
    columns = ("--columns", "city,sex,age,id")

    assert check.report(HEAD + "1,36,F,Lyon\n", *columns)["sent"] == 1


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("id,sex;x,age,city\n", ("--rename", "sex;x=sex")),
        ("", ("--columns", "id,sex,age,city")),
    ],
)
def test_another_delimiter_inside_a_field_is_no_delimiter(check, text, options):
    """Where the line fits as it is cut, nothing else is looked for."""
    report = check.report(text + "a;b;c;1,F,36,Lyon\n", *options)

    assert report["sent"] == 1


def test_columns_that_are_not_used_are_named_once(check):
    """One without a name is none; keys of JSON are columns, too."""
    csv = "id,age,sex,city,note,\n1,36,F,Paris,x,y\n2,36,F,Paris,x,y\n"
    json = '{"id":1,"age":2,"sex":"F","city":"Lyon","a":1}\n{"id":2,"age":2,"b":1}\n'

    assert "columns not used: 'note'\n" in check(csv).out
    assert check.report(json, name="p.jsonl")["unused_columns"] == ["a", "b"]
