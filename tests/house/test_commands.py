"""Whatever a document tells people to type is there."""

from __future__ import annotations

import re

import pytest
import typer

from cli.main import app
from tests.house import tree

# What stands in `backticks`, or on a line of its own inside a block of code.
SPOKEN = re.compile(
    r"(?:`|^(?: {4}|\$ |[-*] )?)(make|sigma)((?: [a-z][a-z-]*)+)", re.MULTILINE
)
PAGES = [page for page in tree.documents() if "adr" not in page.parts]


def commands():
    """Every command that a page tells people to type, with its page."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for program, words in sorted(set(SPOKEN.findall(text))):
            yield pytest.param(
                program, words.split(), id=f"{tree.name(page)}: {program}{words}"
            )


def verbs() -> set[str]:
    """What the Makefile lists."""
    text = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):.*##", text, re.MULTILINE))


@pytest.mark.parametrize(("program", "words"), list(commands()))
def test_a_command_in_a_document_exists(program, words):
    """Each `make X` and each `sigma X Y`."""
    if program == "make":
        assert set(words) <= verbs()
        return
    here = typer.main.get_command(app)
    for word in words:
        known = getattr(here, "commands", None)
        if known is None:
            return  # an argument, not a command
        assert word in known
        here = known[word]


def test_documents_name_commands():
    """The test above looks at something."""
    assert len(list(commands())) > 5


def test_make_lists_the_verbs_of_the_house():
    """`make` alone teaches all of them."""
    wanted = "setup demo test lint types house core stats integration chaos bench docs"

    assert {*wanted.split(), "clean", "bench-compare"} <= verbs()
