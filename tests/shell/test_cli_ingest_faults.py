"""`sigma ingest`: rows that do not fit, interruptions, and what cannot be read."""

import json
import signal
import subprocess
import sys

import pytest

from cli.ingesting.bookmark import Bookmark
from tests.fixtures.children import child
from tests.fixtures.cli import sigma
from tests.fixtures.ingesting import PEOPLE

pytestmark = [pytest.mark.kafka]


def test_rows_that_do_not_fit_are_told_by_reason_and_not_sent(ingest):
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
    assert len(ingest.rows(3)) == 3
    assert "old-secret" not in told.out + told.err


def test_a_file_of_another_dataset_is_refused_before_anything_is_sent(ingest):
    """A hundred rows and none fits: that is no accident of single rows."""
    text = "age,sex,city\n" + "36,female,Paris\n" * 200

    told = ingest(text, "--name", "a")

    assert told.code == 2
    assert "no row of this file fits dataset 'people': outside levels (sex)" in told.err
    assert ingest.nothing_sent()


def test_a_lacking_column_is_named(ingest):
    """With the two ways to say what the columns are."""
    told = ingest("age,gender,city\n36,F,Paris\n")

    assert told.code == 2
    assert "has no column sex" in told.err
    assert "--rename" in told.err


def test_check_sends_nothing(ingest):
    """``--check`` tells how a file fits, without a broker."""
    options = ("--check", "--null", "-", "--id", "person")
    told = ingest(PEOPLE, *options, "--kafka", "127.0.0.1:1")

    assert told.code == 0, told.err
    assert told.out.startswith("would send 3 rows")
    assert ingest.nothing_sent()


def test_a_file_sent_again_is_the_same_rows(ingest):
    """Every event is an upsert under the same id: the second time changes nothing."""
    ingest(PEOPLE, "--null", "-", "--name", "people")
    ingest(PEOPLE, "--null", "-", "--name", "people")

    events = ingest.sent(6)
    assert len(events) == 6
    assert len({event.id for event in events}) == 3


def test_an_interrupted_run_goes_on_where_the_broker_had_acknowledged(ingest, tmp_path):
    """Ctrl-C in the middle; the same command then sends the rest, and no row lacks."""
    number = 60_000
    file = tmp_path / "many.csv"
    file.write_text("age,sex,city\n" + "36,F,Paris\n" * number)
    state = tmp_path / "state"
    command = [sys.executable, "-m", "cli.main", "ingest", str(file), "-d", "people"]
    options = ["--name", "many", "--state-dir", str(state)]
    options += ["--kafka", ingest.env["kafka_bootstrap"]]
    command += [*options, "--prefix", ingest.env["kafka_prefix"]]

    with child(command, stderr=subprocess.PIPE, text=True) as running:
        while not list(state.glob("*.json")):
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        stopped = running.stderr.read()
        running.wait(60)
    after = ingest(None, "--name", "many", "--json", name="many.csv")

    assert running.returncode == 130
    assert stopped == "stopped; the same command goes on from here\n"
    report = json.loads(after.out)
    assert report["skipped"] >= 5_000
    assert report["sent"] + report["skipped"] == number
    assert len({event.id for event in ingest.sent(number)}) == number
    assert list(state.iterdir()) == []


def test_a_bookmark_belongs_to_one_content_of_a_file(ingest, tmp_path):
    """A changed file begins at its first row again."""
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
        (b"age\xff\n", "people.csv", (), "no UTF-8 text"),
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
