"""The suite may run in the background of a script, where SIGINT is ignored."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.fixtures.children import child
from tests.house import tree

ASKS = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
IGNORING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
AGAIN = f"{IGNORING} os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"


def test_a_child_can_be_interrupted():
    """Whoever is sent SIGINT by a test ends."""
    command = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with child(command, **quiet) as running:
        running.stdout.readline()
        running.send_signal(signal.SIGINT)

        assert running.wait(60) == -signal.SIGINT


def test_also_when_the_run_was_started_with_an_ampersand():
    """The same test, in a run that ignores SIGINT from its first moment."""
    node = f"{__file__}::{test_a_child_can_be_interrupted.__name__}"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]

    run = subprocess.run(
        [sys.executable, "-c", AGAIN, "-m", "pytest", *options, node],
        cwd=tree.ROOT,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )

    assert run.returncode == 0, run.stdout


def test_such_a_run_would_not_end_its_children_by_itself():
    """What is ignored is inherited, so that the test above can fail."""
    run = subprocess.run(
        [sys.executable, "-c", AGAIN, "-c", ASKS],
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout == "True\n"
