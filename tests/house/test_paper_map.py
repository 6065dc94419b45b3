"""The paper map is complete and true; code and tests number the paper as it does."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from tests.house import tree
from tests.house.each import each

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


MENTION = re.compile(
    r"\b(?P<kind>equation|eq|definition)s?\b\.? *\(?(?P<n>\d+)", re.IGNORECASE
)
KINDS = {"e": "Equation", "d": "Definition"}
SPEAKING = [
    path
    for path in tree.files()
    if path.suffix in {".py", ".lua"} and path != Path(__file__)
]


def mentions(path):
    """Every equation and definition of the paper that a file speaks of."""
    text = path.read_text(encoding="utf-8")
    found = {(m["kind"][0].lower(), m["n"]) for m in MENTION.finditer(text)}
    return sorted((KINDS[kind], int(n)) for kind, n in found)


def speaks_of(path, row):
    """Whether the row's code is in the file, or is named there, or is tested by it."""
    inside = row["code"].startswith(f"{tree.module(path)}.")
    last = row["code"].rpartition(".")[2]
    named = re.search(rf"\b{last}\b", path.read_text(encoding="utf-8"))
    return inside or row["test"] == tree.name(path) or named


@each(SPEAKING)
def test_a_number_of_the_paper_is_that_of_the_map(path):
    """Whoever looks the number up finds the code that they came from."""
    lost = [
        (kind, n)
        for kind, n in mentions(path)
        if not any(
            re.match(rf"{kind} {n}\b", row["claim"]) and speaks_of(path, row)
            for row in ROWS
        )
    ]

    assert not lost


def test_numbers_are_mentioned():
    """The test above has something to look at, and can fail."""
    assert sum(len(mentions(path)) for path in SPEAKING) > 15
    assert MENTION.findall("eq. 6, Equation (5), definitions 4") == [
        ("eq", "6"),
        ("Equation", "5"),
        ("definition", "4"),
    ]
