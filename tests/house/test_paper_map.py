"""The paper map is complete, and every row of it names code and a test that exist."""

from __future__ import annotations

import re
from pkgutil import resolve_name

import pytest

from tests.house import tree

TEXT = (tree.ROOT / "docs/paper-map.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<claim>.+?) \| `(?P<code>[^`|]+)` \| `(?P<test>[^`|]+)` \|$", re.MULTILINE
)
ROWS = [found.groupdict() for found in ROW.finditer(TEXT)]

# What the paper holds, counted in its source.
HELD = {"Definition": 7, "Equation": 19, "Algorithm": 5, "Theorem": 5}


@pytest.mark.parametrize(
    "claim", [f"{kind} {n}" for kind, last in HELD.items() for n in range(1, last + 1)]
)
def test_every_claim_of_the_paper_has_a_row(claim):
    """No definition, equation, algorithm or theorem is left out."""
    assert any(re.match(rf"{claim}\b(?!,)", row["claim"]) for row in ROWS)


def test_no_row_escapes_the_pattern():
    """A row that the pattern does not see would not be tested."""
    assert len(ROWS) == len(re.findall(r"^\| (?!claim)[A-Z]", TEXT, re.MULTILINE))
    assert len(ROWS) >= sum(HELD.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["claim"])
def test_a_claim_has_code_and_a_test(row):
    """The name can be imported and says what it claims; the test file is there."""
    assert resolve_name(row["code"]).__doc__
    assert (tree.ROOT / row["test"]).is_file()
