"""The AsyncAPI document as the official parser reads it, with Node.js from npm."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cli.async_api import document

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests/async_api"
FILES = ("package.json", "package-lock.json")
WARNING = 1  # severities: 0 is an error, from 2 on it is advice
NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def lacking(why):
    """A machine without npm skips this; one that checks for all must not."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no AsyncAPI parser: {why}")


@pytest.fixture(scope="module")
def parser():
    """A folder that holds the parser as it is locked; installed once."""
    if not shutil.which("npm") or not shutil.which("node"):
        lacking("Node.js and npm are not installed")
    locked = hashlib.blake2b((HERE / FILES[1]).read_bytes(), digest_size=8)
    folder = ROOT / ".cache/async_api" / locked.hexdigest()
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copy(HERE / name, folder)
        try:
            subprocess.run(
                NPM, cwd=folder, check=True, capture_output=True, timeout=180
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            lacking(f"`{' '.join(NPM)}` failed: {(error.stderr or b'')[-500:]!r}")
        (folder / "installed").touch()
    return folder


def parsed(folder, *made):
    """What the parser says of each document."""
    done = subprocess.run(
        ["node", HERE / "parse.mjs"],
        input=json.dumps([json.dumps(each) for each in made]),
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return json.loads(done.stdout)


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
