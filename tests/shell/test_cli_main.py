"""The command line: quick, helpful, and never a traceback."""

import os
import subprocess
import sys
from importlib import metadata
from unittest import mock

import pytest

from cli.command import SIGMA
from cli.exits import CommandRefused, guarded
from config.exit_codes import Exit
from sigmacount.errors import BudgetExhausted, StoreUnavailable
from tests.fixtures.cli import sigma


def test_help_loads_no_driver_and_no_mathematics():
    """What makes an import slow stays out until a verb needs it."""
    heavy = "numpy|opendp|sqlglot|kafka|aiokafka|redis|faust|pydantic|msgspec"
    program = f"""if True:
        import sys, cli.main
        sys.argv = ["sigma", "--help"]
        try:
            cli.main.main()
        except SystemExit as ended:
            loaded = set('{heavy}'.split('|')) & set(sys.modules)
            sys.exit(' '.join(sorted(loaded)) or ended.code)
    """

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "Usage: sigma" in done.stdout


def test_linear_algebra_has_one_thread():
    """Every process of the service, whatever numpy would take by itself."""
    program = """if True:
        import os, sys, cli.main
        sys.argv = ["sigma", "--version"]
        try:
            cli.main.main()
        except SystemExit:
            import numpy
            sys.exit(len(os.listdir("/proc/self/task")))
    """
    environment = {k: v for k, v in os.environ.items() if "OPENBLAS" not in k}

    done = subprocess.run([sys.executable, "-c", program], env=environment, check=False)

    assert done.returncode == 1


def test_the_version_is_that_of_the_distribution():
    """Run as a process of its own, by the command that starts workers too."""
    done = subprocess.run(
        [*SIGMA, "--version"], capture_output=True, text=True, check=True
    )

    assert done.stdout == f"sigma {metadata.version('sigma-counting')}\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BudgetExhausted("dataset 'x'", 5, 1), Exit.REFUSED),
        (StoreUnavailable("no reply"), Exit.AWAY),
        (CommandRefused("no"), Exit.INVALID),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_of_ours_is_its_own_words_and_a_code(error, code, capsys):
    """One line on stderr; the code says what kind of thing went wrong."""

    def fail():
        raise error

    assert guarded(fail) == code
    assert capsys.readouterr().err == f"error: {error}\n"


def test_an_error_of_others_tells_its_place_but_not_its_text(capsys):
    """The text could quote a row; the line is what to report."""

    def fail():
        msg = "could not read 'Ada, 36, HIV+'"
        raise ValueError(msg)

    assert guarded(fail) == Exit.DEFECT
    told = capsys.readouterr().err
    assert told.startswith("error: ValueError in fail:")
    assert "Ada" not in told
    assert told.count("\n") == 1


def test_an_end_of_file_is_never_only_aborted(monkeypatch):
    """Click would say that and no more, whatever verb it comes from."""
    monkeypatch.setattr(
        "workers.clients.settings.load_settings", mock.Mock(side_effect=EOFError)
    )

    told = sigma("topics", "create")

    assert told.code == Exit.DEFECT
    assert told.err.startswith("error: EOFError in ")
    assert "Aborted" not in told.err


def test_ctrl_c_is_no_error(capsys):
    """130, as shells have it, and silence."""

    def interrupt():
        raise KeyboardInterrupt

    assert guarded(interrupt) == 130
    assert capsys.readouterr().err == ""


def test_an_unknown_verb_is_refused_with_the_codes_of_click():
    """Usage errors exit with 2."""
    told = sigma("frobnicate")

    assert told.code == 2
    assert "frobnicate" in told.err


@pytest.mark.parametrize(
    ("verb", "example"),
    [
        ("ask", "sigma ask \"age >= 60 AND sex = 'F'\""),
        ("ingest", "sigma ingest adult.data --dataset adult --name adult"),
        ("watch results", "sigma watch results"),
    ],
)
def test_an_example_stands_on_a_line_of_its_own(verb, example):
    """Examples are there to be copied: none runs on into the next one."""
    lines = [line.strip() for line in sigma(*verb.split(), "--help").out.splitlines()]

    assert any(line.startswith(example) for line in lines)
    assert not any(line.count("sigma " + verb) > 1 for line in lines)
