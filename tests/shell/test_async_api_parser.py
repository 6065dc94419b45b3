"""The AsyncAPI document as the official parser reads it, with Node.js from npm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.async_api import document
from tests.fixtures import node

HERE = Path(__file__).parents[1] / "async_api"
WARNING = 1  # severities: 0 is an error, from 2 on it is advice


@pytest.fixture(scope="module")
def parser():
    """A folder that holds the parser as it is locked; installed once."""
    return node.packages(HERE, "AsyncAPI parser")


def parsed(folder, *made):
    """What the parser says of each document."""
    given = json.dumps([json.dumps(each) for each in made])
    return json.loads(node.run(HERE / "parse.mjs", folder, given))


def broken(made):
    """The same with an operation on a channel that is not there."""
    lost = {"action": "send", "channel": {"$ref": "#/channels/nowhere"}}
    return made | {"operations": made["operations"] | {"send_lost": lost}}


def test_the_official_parser_finds_no_fault(parser):
    """No error, no warning, every message by its name; a broken one has some."""
    made = document.document()

    sound, wrong = parsed(parser, made, broken(made))

    assert [f for f in sound["faults"] if f["severity"] <= WARNING] == []
    assert sorted(sound["messages"]) == sorted(made["components"]["messages"])
    assert [f for f in wrong["faults"] if f["severity"] <= WARNING]
