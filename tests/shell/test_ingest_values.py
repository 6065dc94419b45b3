"""Values of files: what is taken for what, and what is told about the rest."""

import pytest

HEAD = "id,age,sex,city\n"
KINDS = """\
name = "kinds"
[source]
missing = ["?", "n", "NULL"]
[attributes.flag]
kind = "boolean"
nullable = true
[attributes.count]
kind = "integer"
edges = [0, 100, 200]
nullable = true
outside = "bins"
[attributes.size]
kind = "number"
edges = [0.0, 50.0]
nullable = true
outside = "bins"
[attributes.born]
kind = "date"
edges = { start = 1900-01-01, stop = 2100-01-01, every = "year" }
nullable = true
[attributes.seen]
kind = "datetime"
edges = [1900-01-01, 2100-01-01]
nullable = true
[attributes.mark]
kind = "categorical"
levels = ["?", "!"]
other = "else"
nullable = true
"""
FIELDS = "id,flag,count,size,born,seen,mark\n"
USUAL = {
    "flag": "true",
    "count": "7",
    "size": "7.5",
    "born": "1987-02-28",
    "seen": "1987-02-28T12:30:00Z",
    "mark": "!",
}


@pytest.fixture
def kinds(check, tmp_path):
    """The report of one row that differs from the usual one, in CSV."""
    declared = tmp_path / "kinds.toml"
    declared.write_text(KINDS)

    def of(attribute, text, *options):
        row = ["1", *(USUAL | {attribute: text}).values()]
        return check.report(FIELDS + ",".join(row), *options, dataset=declared)

    return of


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        *(("flag", text) for text in ("1", "0", "1.0", "0.0", "TRUE", "No", "y", "f")),
        *(
            ("count", text)
            for text in ("39.0", "39.", "+39", "007", "1e1", "-3", "9" * 30)
        ),
        *(("size", text) for text in ("39", ".5", "5.", "-1E-3", "+0", "1e300")),
        ("seen", "1987-02-28 00:00:00"),
        ("seen", "1987-02-28"),
    ],
)
def test_a_value_that_is_fine_is_taken(kinds, attribute, text):
    """As pandas, spreadsheets and SQL write it."""
    assert (kinds(attribute, text)["sent"], kinds(attribute, text)["missing"]) == (
        1,
        {},
    )


@pytest.mark.parametrize(
    ("attribute", "text", "fits"),
    [
        *(
            ("count", text, "a whole number: 39")
            for text in (
                "3_9",
                "\uff13\uff19",
                "\u0663",
                "0x10",
                "nan",
                "inf",
                "1e999",
                "3.5",
                "1 000",
            )
        ),
        *(
            ("size", text, "a number with a point: 3.5")
            for text in (
                "1_0.5",
                "nan",
                "-inf",
                "Infinity",
                "1e999",
                "3;5",
                "\u00bd",
                "1.2.3",
            )
        ),
        *(
            ("born", text, "year-month-day: 1987-02-28")
            for text in (
                "2012/01/01",
                "28/02/1987",
                "1987-02-28 00:00:00",
                "1987-02-29",
            )
        ),
        ("seen", "28/02/1987 12:00", "ISO 8601: 1987-02-28T12:30:00Z"),
        ("seen", "540000000", "ISO 8601: 1987-02-28T12:30:00Z"),
        *(
            ("flag", text, "true or false, yes or no, 1 or 0")
            for text in ("2", "0.5", "-1", "on", "nan")
        ),
    ],
)
def test_a_value_that_is_none_is_refused_with_the_form_that_works(
    kinds, attribute, text, fits
):
    """Nothing is guessed, and the value itself is not told."""
    report = kinds(attribute, text)

    assert (report["sent"], report["code"]) == (0, 1)
    (fault,) = report["refused"]
    assert (fault["reason"], fault["attribute"]) == ("wrong_type", attribute)
    assert fault["fits"] == fits


@pytest.mark.parametrize(
    ("changes", "reason", "fits"),
    [
        ("1,,F,Paris", "null_not_allowed", "nullable = true"),
        ("1,36,female,Paris", "outside_levels", "one of F, M"),
    ],
)
def test_what_the_declaration_does_not_allow_comes_with_what_it_does(
    check, changes, reason, fits
):
    """From the declaration, never from the file."""
    (fault,) = check.report(HEAD + changes)["refused"]

    assert fault["reason"] == reason
    assert fits in fault["fits"]


def test_an_absent_key_is_told_how_to_rename(check):
    """JSON has no header that could be looked at beforehand."""
    (fault,) = check.report('{"id":1,"age":36,"sex":"F"}', name="p.jsonl")["refused"]

    assert fault["reason"] == "missing_attribute"
    assert (
        fault["fits"] == "a value; a column of another name takes --rename COLUMN=city"
    )


@pytest.mark.parametrize(
    ("attribute", "null", "text", "missing"),
    [
        ("mark", None, "NULL", True),  # the label of the missing level is no level
        ("mark", None, "?", False),  # a declared level is no missing value
        ("mark", "NULL", "NULL", True),
        ("mark", "-", "-", True),
        ("mark", "-", "NULL", True),
        ("flag", None, "n", False),
        ("flag", "-", "-", True),
        ("count", "999", "999", True),
        ("count", "999", "999.0", True),
        ("count", "999", "998", False),
        ("count", "-", "-", True),
        ("size", "-1", "-1.0", True),
        ("size", "-1", "-1.5", False),
        ("born", "1900-01-01", "19000101", True),
        ("seen", "1900-01-01", "1900-01-01T00:00:00Z", True),
    ],
)
def test_a_text_that_means_missing_is_missing_everywhere(
    kinds, attribute, null, text, missing
):
    """A number or day in any of its spellings; never a declared level."""
    report = kinds(attribute, text, *(() if null is None else ("--null", null)))

    assert report["sent"] == 1
    assert report["missing"] == ({attribute: 1} if missing else {})
    assert report["other"] == {}


def test_a_number_that_means_missing_does_so_in_json(check, tmp_path):
    """999 there is no text."""
    declared = tmp_path / "kinds.toml"
    declared.write_text(KINDS)
    row = '{"id":1,"flag":1,"count":999,"size":1,"born":null,"seen":null,"mark":"!"}'

    odd = row.replace("999", "[999]")

    options = {"name": "p.jsonl", "dataset": declared}
    report = check.report(f"{row}\n{odd}", "--null", "999", **options)

    assert report["missing"] == {"count": 1, "born": 1, "seen": 1}
    assert [fault["attribute"] for fault in report["refused"]] == ["count"]


@pytest.mark.parametrize(
    ("null", "attribute"),
    [("!", "mark"), ("else", "mark"), ("yes", "flag"), ("0", "flag"), ("1.0", "flag")],
)
def test_a_level_cannot_be_said_to_mean_missing(check, tmp_path, null, attribute):
    """Its rows would be lost; the remedy is one for the other attributes alone."""
    declared = tmp_path / "kinds.toml"
    declared.write_text(KINDS)

    told = check(FIELDS, "--null", null, dataset=declared)

    assert told.code == 2
    assert f"that is a value of {attribute!r}" in told.err
    assert "[source] missing" in told.err


def test_values_outside_the_levels_and_missing_ones_are_told(check):
    """By attribute and number: a code list that changed shows itself here."""
    text = (
        HEAD + "1,36,F,Rome\n2,36,,Roma\n3,36,F,paris\n4,36,F,Paris\n5,36,F,elsewhere\n"
    )

    told = check(text).out

    assert "city: 4 outside its levels, counted as 'elsewhere'" in told
    assert "sex: 1 missing, counted as NULL" in told
    assert "Rom" not in told
