"""`sigma ingest` that does not come to its end: nothing is hidden, nothing is lost."""

import gzip
import io
import json
import sys
from pathlib import Path
from unittest import mock

import pytest

from cli.ingesting import bookmark, row_sender
from cli.ingesting.ingest_options import IngestOptions
from sigmacount.errors import StreamUnavailable
from streams.clients.publisher import Publisher
from tests.fixtures.cli import sigma

pytestmark = [pytest.mark.kafka]

HEAD = "id,age,sex,city\n"
# The second row does not fit; with --null - it does.
FIVE = HEAD + "a,36,F,Paris\nb,36,-,Paris\nc,36,F,Lyon\nd,36,M,Lyon\ne,36,,Oslo\n"


@pytest.fixture
def interrupted(ingest, monkeypatch):
    """A run that sent two rows of the first chunk of three, then lost its broker."""
    monkeypatch.setattr(row_sender, "CHUNK", 3)
    flush, calls = Publisher.flush, []

    async def broken(publisher):
        calls.append(publisher)
        if len(calls) > 1:
            raise StreamUnavailable("gone")  # noqa: EM101  (a test's own words)
        await flush(publisher)

    with mock.patch.object(Publisher, "flush", broken):
        told = ingest(FIVE)
    assert "2 rows were acknowledged; the same command goes on from here." in told.err
    assert (told.code, len(list((ingest.folder / "state").iterdir()))) == (5, 1)
    return ingest


def test_the_second_run_reports_on_the_whole_file(interrupted):
    """What did not fit in the first run is told again, and was not 'sent already'."""
    report = json.loads((told := interrupted(None, "--json")).out)

    assert told.code == 1
    assert (report["skipped"], report["sent"]) == (2, 2)
    assert [(f["reason"], f["first_line"]) for f in report["refused"]] == [
        ("outside_levels", 3)
    ]
    assert report["other"] == {"city": 1}
    assert set(interrupted.rows(5)) == {"a", "c", "d", "e"}
    assert list((interrupted.folder / "state").iterdir()) == []


@pytest.mark.parametrize(
    "options", [("--null", "-"), ("--name", "x"), ("--rename", "sex=sex")]
)
def test_a_run_with_other_options_begins_at_the_first_row(interrupted, options):
    """They make other events of the rows, so none of them has been sent."""
    report = json.loads(interrupted(None, "--json", *options).out)

    assert report["skipped"] == 0
    assert report["sent"] + sum(f["rows"] for f in report["refused"]) == 5


def test_a_run_of_a_changed_declaration_begins_at_the_first_row(interrupted, tmp_path):
    """Its cells are others."""
    declared = tmp_path / "people.toml"
    declared.write_text(
        'name = "people"\n[attributes.sex]\nkind = "categorical"\nlevels = ["F", "M"]\n'
        'other = "else"\nnullable = true\n'
    )

    report = json.loads(interrupted(None, "--json", dataset=declared).out)

    assert (report["skipped"], report["sent"]) == (0, 5)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            gzip.compress(FIVE.encode(), mtime=0)[:-4],
            "that was cut after line 6. Nothing was",
        ),
        (FIVE + 'f,3,F,"Lyon\n' + "g,3,F,Lyon\n", "open at the end of the line"),
        (FIVE.encode() + b"f,1,F,Orl\xe9ans\n", "it is no UTF-8 text"),
        (FIVE + "f,1,\0,Lyon\n", "line 7 holds a NUL byte"),
    ],
)
def test_nothing_is_sent_of_a_file_that_breaks_off(ingest, content, words, monkeypatch):
    """It is read through before its first row is sent."""
    monkeypatch.setattr(row_sender, "CHUNK", 3)

    told = ingest(content)

    assert told.code == 2
    assert words in told.err
    assert told.err.endswith(". Nothing was sent.\n")
    assert ingest.nothing_sent()


def test_a_pipe_that_breaks_off_tells_what_was_sent(ingest, monkeypatch):
    """It cannot be read twice, so some of it may be on its way already."""
    monkeypatch.setattr(row_sender, "CHUNK", 3)
    content = gzip.compress(FIVE.encode(), mtime=0)[:-4]
    stdin = io.TextIOWrapper(io.BytesIO(content))
    with mock.patch.object(sys, "stdin", stdin):
        command = ("ingest", "-", "--format", "csv", "-d", "people")
        told = sigma(*command, **ingest.env)

    assert told.code == 2
    assert "standard input cannot be read: it is a gzip file that was cut" in told.err
    assert "2 rows before that were sent; the mended file" in told.err
    assert set(ingest.rows(2)) == {"a", "c"}


def test_a_process_without_a_home_goes_without_a_bookmark(ingest, monkeypatch):
    """As in a container: the file is sent all the same."""
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", mock.Mock(side_effect=RuntimeError))
    file = ingest.folder / "p.csv"
    file.write_text(HEAD + "a,36,F,Paris\n")

    told = sigma("ingest", file, "-d", "people", **ingest.env)

    assert told.code == 0, told.err
    assert bookmark.state_dir() is None


def test_a_folder_that_cannot_be_written_is_named(ingest, tmp_path):
    """Where it was asked for; a folder inside a file can be made by nobody."""
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "state"

    told = ingest(FIVE, "--state-dir", place)

    assert told.code == 2
    assert f"--state-dir {place}: nothing can be written there" in told.err
    assert ingest.nothing_sent()


@pytest.mark.parametrize(
    ("file", "check", "words"),
    [
        (Path(__file__), False, "the same command goes on from here"),
        (Path("-"), False, "sending them again changes nothing"),
        (Path(__file__), True, "nothing was sent"),
    ],
)
def test_after_an_interruption_it_says_what_is_true(file, check, words):
    """A pipe cannot go on, and a check has nothing to go on with."""
    assert words in IngestOptions(file=file, check=check).afterwards
