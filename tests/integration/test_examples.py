"""The three kinds of program that use us, each run as its reader would run it."""

import ast
import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sigmaclient import Session
from streams.wire.codec import decode
from streams.wire.messages.events import RowChanged
from tests.fixtures.echo_responder import echoing
from tests.fixtures.reading import read_all
from tests.fixtures.until import CEILING

pytestmark = [pytest.mark.kafka, pytest.mark.integration]

IN_MEMORY = "in_memory"  # needs no server and imports us: test_example_in_memory.py
FOUND = sorted(Path(__file__).parents[2].glob("examples/*.py"))
EXAMPLES = [example for example in FOUND if example.stem != IN_MEMORY]
OURS = {"cli", "config", "sigmaclient", "sigmacount", "store", "streams", "workers"}


def run(name: str, *arguments: str) -> str:
    """What an example prints, run with our own interpreter and nothing of ours."""
    path = next(example for example in EXAMPLES if example.stem == name)
    command = [sys.executable, "-W", "ignore", str(path), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_three_examples():
    """A producer of rows, a service that asks, a watcher of results."""
    names = [example.stem for example in EXAMPLES]

    assert names == ["asking_service", "results_watcher", "row_producer"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_is_short_and_stands_alone(example):
    """Under 50 lines, taught by a docstring, and no import from this project."""
    text = example.read_text()
    tree = ast.parse(text)
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or node.names[0].name]
    }

    assert text.count("\n") < 50
    assert len(ast.get_docstring(tree).splitlines()) > 3
    assert not imported & OURS


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_explains_its_options(example):
    """``--help`` names the broker's option and needs no broker."""
    assert "--bootstrap" in run(example.stem, "--help")


def test_the_producer_sends_row_events(kafka, topics):
    """Every record is an event of ours, its key the row's id; updates and deletes."""
    run(
        "row_producer",
        *("--bootstrap", kafka.bootstrap),
        *("--topic", topics.rows.name),
        *("--rows", "100"),
    )

    records = read_all(kafka.bootstrap, topics.rows, expected=112)
    events = [decode(RowChanged, record.value) for record in records]
    assert [event.id.encode() for event in events] == [r.key for r in records]
    ops = [event.op for event in events]
    assert {op: ops.count(op) for op in set(ops)} == {
        "insert": 100,
        "update": 10,
        "delete": 2,
    }


def test_the_asking_service_hears_its_own_answers(kafka, topics, prefix):
    """Both questions are answered, whatever was answered before it began."""
    with echoing(kafka.bootstrap, topics) as echo:
        told = run(
            "asking_service",
            *("--bootstrap", kafka.bootstrap),
            *("--prefix", prefix),
            *("age >= 60", ""),
        )

    assert {asked.where for asked in echo.asked} == {"age >= 60", ""}
    answers = [json.loads(text) for text in re.findall(r"\{.*\}", told)]
    assert sorted(answer["count"] for answer in answers) == [0, len("age >= 60")]


async def test_the_watcher_prints_every_answer(kafka, topics, prefix):
    """Counts with their interval, refusals with their reason."""
    with echoing(kafka.bootstrap, topics):
        async with Session(kafka.bootstrap, client="desk", prefix=prefix) as session:
            await session.ask_all(["x" * 1234, "refuse"], timeout=CEILING)

    told = await asyncio.to_thread(
        run,
        "results_watcher",
        *("--bootstrap", kafka.bootstrap),
        *("--topic", topics.results.name),
        *("--group", prefix + "audit", "--most", "2"),
    )

    assert "desk         ok            1,234 [1,231 … 1,237] by algebra" in told
    assert "desk         refused  nothing is left" in told
