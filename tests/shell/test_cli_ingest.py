"""`sigma ingest`: files of every usual shape become row events, once each."""

import gzip
import io
import json
import signal
import subprocess
import sys
from unittest import mock

import pytest

from streams.codec import decode
from streams.events import RowChanged
from tests.fixtures.cli import sigma
from tests.fixtures.reading import read_all

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]

PEOPLE = """\
person,age,sex,city,secret
ada,36,F,Paris,x
bob,71,-,Lyon,y
cleo,58,,Oslo,z
"""
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


@pytest.fixture
def topics(kafka):
    """Topics of this test alone."""
    return kafka.topics(3)


@pytest.fixture
def env(kafka, topics):
    """Where the service is."""
    return {
        "kafka_bootstrap": kafka.bootstrap,
        "kafka_prefix": topics.rows.name.removesuffix("rows"),
    }


@pytest.fixture
def ingest(env, tmp_path):
    """``sigma ingest FILE …`` of a file with this text."""

    def run(text, *options, name="people.csv", dataset="people"):
        file = tmp_path / name
        if isinstance(text, bytes):
            file.write_bytes(text)
        elif text is not None:
            file.write_text(text)
        state = ("--state-dir", tmp_path / "state")
        return sigma("ingest", file, "--dataset", dataset, *state, *options, **env)

    return run


@pytest.fixture
def sent(kafka, topics):
    """The row events on the topic."""

    def read(expected):
        records = read_all(kafka.bootstrap, topics.rows, expected=expected, seconds=10)
        events = [decode(RowChanged, record.value) for record in records]
        assert [record.key.decode() for record in records] == [e.id for e in events]
        return events

    return read


@pytest.fixture
def rows(sent):
    """Id → values of the row events on the topic."""
    return lambda expected: {event.id: event.row for event in sent(expected)}


def test_a_csv_file_becomes_row_events(ingest, rows):
    """Named by a column, typed as declared, without what is not declared."""
    told = ingest(PEOPLE, "--id", "person", "--null", "-")

    assert told.code == 0, told.err
    assert told.out.startswith("sent 3 rows of people.csv to ")
    assert rows(3) == {
        "ada": {"age": 36, "sex": "F", "city": "Paris"},
        "bob": {"age": 71, "sex": None, "city": "Lyon"},
        "cleo": {"age": 58, "sex": None, "city": "Oslo"},
    }


def test_every_kind_gets_its_type(ingest, rows, tmp_path):
    """Truth values, floats, dates as text; a declared level is no null word."""
    declared = tmp_path / "kinds.toml"
    declared.write_text(KINDS)
    text = (
        "flag,size,born,mark\nyes,1.25,2000-03-01,?\n0,2,2000-12-31,\n?,0,2000-01-01,!"
    )

    told = ingest(text, name="kinds.csv", dataset=declared)

    assert told.code == 0, told.out
    assert rows(3) == {
        "kinds:2": {"flag": True, "size": 1.25, "born": "2000-03-01", "mark": "?"},
        "kinds:3": {"flag": False, "size": 2.0, "born": "2000-12-31", "mark": None},
        "kinds:4": {"flag": None, "size": 0.0, "born": "2000-01-01", "mark": "!"},
    }


def test_without_an_id_column_file_and_line_name_a_row(ingest, rows):
    """So that two files do not overwrite each other's rows."""
    ingest(PEOPLE, "--null", "-")

    assert set(rows(3)) == {"people:2", "people:3", "people:4"}


def test_a_file_without_a_header_takes_the_columns_of_its_dataset(ingest, rows):
    """UCI Adult as it comes: no header, a blank after each comma, ? for missing."""
    line = (
        "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White,"
        " Male, 2174, 0, 40, United-States, <=50K\n"
    )

    told = ingest(line, name="adult.data", dataset="adult")

    assert told.code == 0, told.out
    row = rows(1)["adult:1"]
    assert (row["age"], row["workclass"], row["occupation"]) == (39, "State-gov", None)
    assert "fnlwgt" not in row


def test_columns_can_be_named_and_renamed(ingest, rows):
    """``--columns`` for a file without a header, ``--rename`` for other names."""
    told = ingest(
        "1;36;F;Paris\n",
        *("--columns", "nr,years,sex,city", "--rename", "years=age"),
        *("--delimiter", ";", "--id", "nr"),
    )

    assert told.code == 0, told.err
    assert rows(1) == {"1": {"age": 36, "sex": "F", "city": "Paris"}}


def test_json_lines_keep_the_types_of_json(ingest, rows):
    """Null is no value, a number is a number, packed files are unpacked."""
    lines = [
        {"id": 7, "age": 36, "sex": None, "city": "Paris", "more": [1]},
        {"id": "x", "age": 71, "sex": "M", "city": None},
    ]
    text = "\n\n".join(map(json.dumps, lines)).encode()

    told = ingest(gzip.compress(text), "--id", "id", name="people.jsonl.gz")

    assert told.code == 0, told.out + told.err
    assert rows(2) == {
        "7": {"age": 36, "sex": None, "city": "Paris"},
        "x": {"age": 71, "sex": "M", "city": None},
    }


def test_standard_input_is_read_like_a_file(env, rows):
    """``sigma ingest -``, with the format said."""
    stdin = io.TextIOWrapper(io.BytesIO(b"age,sex,city\n36,F,Paris\n"))
    with mock.patch.object(sys, "stdin", stdin):
        told = sigma("ingest", "-", "--format", "csv", "-d", "people", **env)

    assert told.code == 0, told.err
    assert set(rows(1)) == {"stdin:2"}


def test_rows_that_do_not_fit_are_told_by_reason_and_not_sent(ingest, rows):
    """Exit code 1; reason, attribute and line are told, the value never is."""
    text = PEOPLE + "dora,old-secret,F,Paris,\n,1,F,Paris,\nx,1\nemil,,F,Paris,\n"

    told = ingest(text, "--id", "person", "--null", "-", "--json")

    assert told.code == 1
    report = json.loads(told.out)
    assert report["sent"] == 3
    assert [
        (fault["reason"], fault["attribute"], fault["rows"], fault["first_line"])
        for fault in report["refused"]
    ] == [
        ("wrong_type", "age", 1, 5),
        ("no_id", None, 1, 6),
        ("wrong_number_of_fields", None, 1, 7),
        ("null_not_allowed", "age", 1, 8),
    ]
    assert len(rows(3)) == 3
    assert "old-secret" not in told.out + told.err


def test_a_file_of_another_dataset_is_refused_before_anything_is_sent(ingest, rows):
    """A hundred rows and none fits: that is no accident of single rows."""
    text = "age,sex,city\n" + "36,female,Paris\n" * 200

    told = ingest(text)

    assert told.code == 2
    assert "no row of this file fits dataset 'people': outside levels (sex)" in told.err
    assert rows(1) == {}


def test_a_lacking_column_is_named(ingest):
    """With the two ways to say what the columns are."""
    told = ingest("age,gender,city\n36,F,Paris\n")

    assert told.code == 2
    assert "has no column sex" in told.err
    assert "--rename" in told.err


def test_check_sends_nothing(ingest, rows):
    """``--check`` tells how a file fits, without a broker."""
    told = ingest(PEOPLE, "--check", "--null", "-", "--kafka", "127.0.0.1:1")

    assert told.code == 0, told.err
    assert told.out.startswith("would send 3 rows")
    assert rows(1) == {}


def test_a_file_sent_again_is_the_same_rows(ingest, sent):
    """Every event is an upsert under the same id: the second time changes nothing."""
    ingest(PEOPLE, "--null", "-")
    ingest(PEOPLE, "--null", "-")

    events = sent(6)
    assert len(events) == 6
    assert len({event.id for event in events}) == 3


def test_an_interrupted_run_goes_on_where_the_broker_had_acknowledged(
    ingest, sent, env, tmp_path
):
    """Ctrl-C in the middle; the same command then sends the rest, and no row lacks."""
    number = 60_000
    file = tmp_path / "many.csv"
    file.write_text("age,sex,city\n" + "36,F,Paris\n" * number)
    state = tmp_path / "state"
    command = [sys.executable, "-m", "cli.main", "ingest", str(file), "-d", "people"]
    options = ["--state-dir", str(state), "--kafka", env["kafka_bootstrap"]]
    command += [*options, "--prefix", env["kafka_prefix"]]

    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        while not list(state.glob("*.json")):
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        stopped = running.stderr.read()
    after = ingest(None, "--json", name="many.csv")

    assert running.returncode == 130
    assert stopped == "stopped; the same command goes on from here\n"
    report = json.loads(after.out)
    assert report["skipped"] >= 5_000
    assert report["sent"] + report["skipped"] == number
    assert len({event.id for event in sent(number)}) == number
    assert list(state.iterdir()) == []


def test_a_bookmark_belongs_to_one_content_of_a_file(ingest, tmp_path):
    """A changed file begins at its first row again."""
    from cli.bookmark import Bookmark

    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    Bookmark.of(file, "rows", folder=tmp_path).keep(2)

    assert Bookmark.of(file, "rows", folder=tmp_path).rows() == 2
    assert Bookmark.of(file, "rows made anew", folder=tmp_path).rows() == 0
    file.write_text(PEOPLE.replace("ada", "eva"))
    assert Bookmark.of(file, "rows", folder=tmp_path).rows() == 0


@pytest.mark.parametrize(
    ("text", "name", "options", "words"),
    [
        (PEOPLE, "people.xyz", (), "say --format csv"),
        (None, "nowhere.csv", (), "No such file"),
        (b"\xff\xfe\n\xff", "people.csv", (), "no UTF-8 text"),
        (PEOPLE, "people.csv", ("--rename", "age"), "is not COLUMN=ATTRIBUTE"),
        (PEOPLE, "people.csv", ("--rename", "person=agee"), "age"),
    ],
    ids=["no format", "no file", "no text", "no pair", "no attribute"],
)
def test_what_cannot_be_read_is_one_line(ingest, text, name, options, words):
    """Exit code 2, the file or the option named."""
    told = ingest(text, *options, name=name)

    assert told.code == 2
    assert words in told.err
    assert told.err.count("\n") == 1


def test_a_missing_topic_is_said_before_the_file_is_read(kafka, tmp_path):
    """With the verb that makes it."""
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)

    told = sigma(
        "ingest", file, "-d", "people", "--prefix", "no.", "--kafka", kafka.bootstrap
    )

    assert told.code == 1
    assert "topic no.rows is missing; `sigma topics create` makes it" in told.err
