"""The log: one line per event, and never the text of a foreign error."""

from __future__ import annotations

import io
import json
import logging

import pytest

from config import logs
from sigmacount.errors import InvalidRow


@pytest.fixture
def written():
    """A stream that receives the log for one test."""
    root, ours = logging.getLogger(), logging.getLogger(logs.ROOT)
    before = root.handlers[:], root.level, ours.level
    stream = io.StringIO()
    logs.start(stream=stream)
    yield stream
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    ours.setLevel(before[2])


def test_an_event_is_one_line_of_pairs(written):
    """Key, value, quoted where a space would break it."""
    logs.Log("counter").info("partition_claimed", partition=3, topic="a b")

    assert written.getvalue().endswith(
        'part=counter event=partition_claimed partition=3 topic="a b"\n'
    )


def test_a_line_break_in_a_fact_stays_in_its_line(written):
    """Nobody forges a log line with a topic's name."""
    logs.Log("counter").info("seen", topic="a\nlevel=error")

    assert written.getvalue().count("\n") == 1


def test_json_lines_hold_the_same_pairs(written):
    """Machines read what people read."""
    logs.start(style="json", stream=written)

    logs.Log("curator").warning("epoch_frozen", epoch=7)

    line = json.loads(written.getvalue())
    assert (line["part"], line["event"], line["epoch"]) == (
        "curator",
        "epoch_frozen",
        7,
    )


def test_our_own_errors_are_told(written):
    """Their texts are written to be shown."""
    logs.Log("counter").error("row_refused", InvalidRow("wrong_type", "age"))

    assert "attribute 'age'" in written.getvalue()


def test_a_foreign_error_keeps_its_text_to_itself(written):
    """It may quote the row it choked on."""
    try:
        int("a secret value")
    except ValueError as error:
        logs.Log("counter").error("row_refused", error)

    assert "secret" not in written.getvalue()
    assert "error=ValueError where=" in written.getvalue()


def test_a_library_cannot_smuggle_an_error_text(written):
    """Libraries put exceptions into their messages; only the type remains."""
    logs.start("debug", stream=written)
    logging.getLogger("elsewhere").warning("crashed: %s", ValueError("a secret"))

    assert "secret" not in written.getvalue()
    assert "crashed: ValueError" in written.getvalue()


def test_a_library_is_heard_at_debug_and_from_warnings_upwards(written):
    """We tell of what fails; what it says for developers may hold what it carries."""
    library = logging.getLogger("elsewhere")
    library.error("connection to node %s lost", 1)
    library.critical("coordinator of node %s dead", 1)
    assert not written.getvalue()

    logs.start("debug", stream=written)
    library.warning("connection to node %s lost", 1)
    library.info("row %s", "secret")

    assert "connection to node 1 lost" in written.getvalue()
    assert "secret" not in written.getvalue()


def test_the_level_is_ours_to_choose(written):
    """A debug event is silent until asked for."""
    logs.Log("counter").debug("quiet")
    logs.start("debug", stream=written)
    logs.Log("counter").debug("loud")

    assert "loud" in written.getvalue()
    assert "quiet" not in written.getvalue()
