"""``import sigmacount`` hands out what the rooms' fronts do, and loads none of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module

import pytest

import sigmacount
from tests.house import tree

STUB = tree.ROOT / "sigmacount/__init__.pyi"
HEAVY = ("opendp", "sqlglot", "numpy")


def declared():
    """Public name → the module that the stub takes it from."""
    return {
        alias.asname: node.module
        for node in ast.parse(STUB.read_text(encoding="utf-8")).body
        for alias in node.names
    }


def loaded_by(line):
    """Which of the heavy libraries a process has loaded after one line."""
    seen = f"import sys; {line}; print([x for x in {HEAVY} if x in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", seen],
        capture_output=True,
        text=True,
        check=True,
        cwd=tree.ROOT,
    )
    return ast.literal_eval(run.stdout)


def test_what_is_declared_is_what_is_handed_out():
    """The stub, which type checkers read, and ``__all__`` name the same."""
    assert sorted(declared()) == sorted(sigmacount.__all__)
    assert set(sigmacount.__all__) <= set(dir(sigmacount))


@pytest.mark.parametrize("name", sigmacount.__all__)
def test_a_name_is_that_of_its_room(name):
    """The very object that the front of the room named in the stub hands out."""
    room = import_module(declared()[name])

    assert getattr(sigmacount, name) is getattr(room, name)
    assert name in getattr(room, "__all__", [name])


def test_other_names_are_absent():
    """As in any module."""
    with pytest.raises(AttributeError, match="no attribute 'Ledgr'"):
        sigmacount.Ledgr  # noqa: B018 - it is the access that fails


@pytest.mark.parametrize("line", ["import sigmacount", "import sigmacount.errors"])
def test_errors_load_nothing_heavy(line):
    """Clients catch them without OpenDP, sqlglot or numpy."""
    assert loaded_by(line) == []


def test_a_heavy_import_would_be_seen():
    """The test above can fail."""
    assert loaded_by("from sigmacount import parse") != []
