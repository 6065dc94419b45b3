"""How `make test` spends its minutes: long files first, tracing for the core alone."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

from tests.fixtures.core_coverage import TRACED, measured
from tests.fixtures.kinds import TESTS, kind_of
from tests.fixtures.order_of_files import LONGEST_FIRST, rank
from tests.house.tree import ROOT


def test_every_kind_of_test_has_its_place_in_a_run():
    """Kinds are ranked, all of them and nothing else."""
    kinds = {kind_of(path) for path in TESTS.rglob("test_*.py")}

    assert kinds == set(LONGEST_FIRST)


def test_what_nobody_ranked_is_begun_first():
    """A new kind of test may be long: it does not become the tail of a run."""
    assert rank(TESTS / "new" / "test_it.py") < rank(TESTS / "chaos" / "test_it.py")
    assert rank(TESTS / "chaos" / "test_it.py") < rank(TESTS / "house" / "test_it.py")


def test_the_core_is_measured_by_its_own_tests():
    """What `make core` runs is what `make test` traces, and no test of a worker."""
    lines = (ROOT / "Makefile").read_text().splitlines()
    [line] = [line for line in lines if "$(PYTEST) tests/core " in line]

    assert set(re.findall(r"tests/(\w+)", line)) == TRACED
    assert not measured(SimpleNamespace(path=Path(TESTS / "shell" / "test_it.py")))
    assert measured(SimpleNamespace(path=Path(TESTS / "core" / "test_it.py")))
