"""`sigma watch results`: answers as they come."""

import json
import signal
import subprocess
import sys
import threading
import time

import pytest

from sigmaclient import SyncSession
from tests.fixtures.children import child
from tests.fixtures.cli import sigma
from tests.fixtures.echo_responder import echoing
from tests.fixtures.until import CEILING

pytestmark = [pytest.mark.kafka]


@pytest.fixture
def asking(kafka, topics, prefix):
    """Two clients that ask, again and again, until the test is over."""
    over = threading.Event()

    def ask(client, where):
        with SyncSession(kafka.bootstrap, client=client, prefix=prefix) as session:
            while not over.is_set():
                session.ask(where, timeout=CEILING)
                time.sleep(0.05)

    with echoing(kafka.bootstrap, topics):
        pairs = [("ada", "x" * 1234), ("bob", "refuse")]
        threads = [threading.Thread(target=ask, args=pair) for pair in pairs]
        for thread in threads:
            thread.start()
        yield
        over.set()
        for thread in threads:
            thread.join()


@pytest.fixture
def watch(kafka, prefix, asking):
    """``sigma watch results …`` while questions are asked."""
    options = ("--kafka", kafka.bootstrap, "--prefix", prefix)
    return lambda *more: sigma("watch", "results", *options, *more)


def test_a_pipe_gets_one_line_an_answer(watch):
    """Counts with interval and route, refusals with their reason."""
    told = watch("--most", 6)

    lines = told.out.splitlines()
    assert told.code == 0
    assert len(lines) == 6
    assert "ada  ok  1,234  1,231 … 1,237  algebra  7" in lines
    assert "bob  refused  nothing is left" in lines


def test_a_program_gets_json_lines(watch):
    """Each line is the answer as it travels."""
    told = watch("--json", "--most", 4)

    answers = [json.loads(line) for line in told.out.splitlines()]
    assert len(answers) == 4
    assert {answer["client"] for answer in answers} == {"ada", "bob"}


def test_no_more_is_shown_than_was_wanted(watch):
    """Though more came in the same batch."""
    told = watch("--json", "--most", 1)

    assert len(told.out.splitlines()) == 1


def test_one_client_can_be_watched_alone(watch):
    """``--client`` leaves the others out."""
    told = watch("--json", "--client", "bob", "--most", 3)

    clients = [json.loads(line)["client"] for line in told.out.splitlines()]
    assert clients == ["bob"] * 3


def test_ctrl_c_ends_it_quietly(kafka, prefix, asking):
    """Exit code 130 and no traceback, however long it ran."""
    options = ("--kafka", kafka.bootstrap, "--prefix", prefix)
    command = [sys.executable, "-m", "cli.main", "watch", "results", *options]

    both = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with child(command, text=True, **both) as watching:
        watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        _, err = watching.communicate(timeout=60)

    assert watching.returncode == 130
    assert err == ""
