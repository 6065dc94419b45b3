"""The client's wheel alone, as an analyst installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.house.test_distributions import HEAVY
from tests.packaging.environments import PIP, made

pytestmark = pytest.mark.integration

CONSUMER = """\
from sigmaclient import Answer, Session

async def seniors(session: Session) -> int:
    answer: Answer = await session.ask({"age": {"ge": 60}}, timeout=5)
    return answer.require()
"""
MISTAKEN = """\
from sigmaclient import Session

async def seniors(session: Session) -> str:
    answer = await session.ask(60)
    reveal_type(answer.count)
    return answer.cuont
"""


def mypy(environment, source):
    """What `mypy --strict` says of a consumer's project."""
    (environment.work / "consumer.py").write_text(source)
    return environment.run(
        *(sys.executable, "-m", "mypy", "--strict", "--cache-dir", ".types"),
        *("--python-executable", environment.python, "consumer.py"),
        check=False,
    )


def test_what_it_requires_is_all_that_it_needs(client):
    """It imports, and no requirement is missing or of the wrong version."""
    client.script("import sigmaclient; sigmaclient.SyncSession('a:1', client='me')")

    check = subprocess.run(
        [*PIP, "--python", client.python, "check"], capture_output=True, check=False
    )

    assert check.returncode == 0, check.stdout


def test_nothing_of_a_service_is_there(client):
    """Not only not imported: not installed, so it cannot be."""
    names = sorted(HEAVY | {"sigma_service.store", "sigmacount.mechanisms"})

    found = client.script(
        "from importlib.util import find_spec\n"
        f"print(*(name for name in {names} if find_spec(name)))"
    )

    assert found.split() == []


def test_every_module_of_it_imports(client):
    """Whatever it holds, it holds what that imports; nothing is the checkout's."""
    told = client.script(
        "import pkgutil, importlib, sys, sigmaclient, sigmacount, sigma_service\n"
        "for package in (sigmaclient, sigmacount, sigma_service):\n"
        "    prefix = package.__name__ + '.'\n"
        "    for found in pkgutil.walk_packages(package.__path__, prefix):\n"
        "        print(importlib.import_module(found.name).__file__)\n"
    )

    files = told.split()
    assert len(files) > 20
    assert all(file.startswith(str(client.folder)) for file in files)


def test_a_strict_consumer_is_checked_against_real_types(client):
    """Five right lines pass; a misspelt field and a wrong argument are reported."""
    assert "Success: no issues found in 1 source file" in mypy(client, CONSUMER)

    said = mypy(client, MISTAKEN)

    assert 'Argument 1 to "ask" of "Session" has incompatible type "int"' in said
    assert 'Revealed type is "int | None"' in said.replace("builtins.", "")
    assert '"Answer" has no attribute "cuont"; maybe "count"?' in said


def test_frames_and_plots_come_with_the_extra(wheels, tmp_path):
    """All of its libraries, and no others of the service."""
    environment = made(tmp_path, [wheels["sigma_client"]], "notebook")

    told = environment.script(
        "import matplotlib; matplotlib.use('agg')\n"
        "from sigmaclient import Answer\n"
        "answer = Answer('r', 'me', 'ok', count=3, interval=(1, 5), confidence=0.95)\n"
        "print(len(answer.to_pandas()), len(answer.to_polars()), answer.plot())\n"
        "import pyarrow.parquet"
    )

    assert told.startswith("1 1 Axes(")


def test_without_it_an_answer_says_what_is_missing(client):
    """And is an answer all the same."""
    told = client.script(
        "from sigmaclient import Answer, ExtraMissing\n"
        "answer = Answer('r', 'me', 'ok', count=3)\n"
        "for make in (answer.to_pandas, answer.to_polars, answer.plot):\n"
        "    try: make()\n"
        "    except ExtraMissing as error: print(error)\n"
        "print(answer._repr_html_())"
    )

    assert told.count("pip install 'sigma-client[notebook]'") == 3
    assert "<table>" in told
