"""The documents keep their word: links lead somewhere, tables are complete and true."""

from __future__ import annotations

import re
from pkgutil import resolve_name

import pytest
from packaging.requirements import Requirement

from tests.house import tree
from tests.house.each import each

DOCS = tree.ROOT / "docs"
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]+)")
PAGE = re.compile(r"(?<![\w*/.-])(?!https?:)[\w./-]+\.md\b")
PAGES = [path for path in tree.documents() if DOCS in path.parents]
LIVING = [
    path
    for path in tree.documents()
    if path.name != "CHANGELOG.md" and path.parent.name != "adr"
]
AT_HOME = "|".join((*tree.PACKAGES, "tests", "benchmarks", "examples"))
PLACE = re.compile(rf"(?:{AT_HOME}|docs|\.ci)/[\w/.*-]*")
DOTTED = re.compile(rf"(?:{AT_HOME})(?:\.\w+)+(?<!\.toml)(?<!\.py)")
ADRS = sorted((DOCS / "adr").glob("*.md"))


def rows(text, heading):
    """The cells of each row of the table whose first heading is ``heading``."""
    table = re.search(
        rf"^\| {heading} \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.MULTILINE
    )
    assert table, f"no table begins with {heading!r}"
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table[1].splitlines()
    ]


@each(tree.documents())
def test_every_link_inside_the_project_leads_somewhere(page):
    """A page that moved takes its links along."""
    text = page.read_text(encoding="utf-8")

    lost = [to for to in LINK.findall(text) if not (page.parent / to).exists()]

    assert not lost


def named(path):
    """Every page of prose that a file names, and that does not exist."""
    text = path.read_text(encoding="utf-8")
    places = (path.parent, tree.ROOT, DOCS)
    return {
        page
        for page in PAGE.findall(text)
        if not any((place / page).is_file() for place in places)
    }


@each(tree.text())
def test_every_page_that_is_named_can_be_opened(path):
    """Code and prose send their reader to pages of this repository alone."""
    assert not named(path)


def test_a_page_that_is_missing_would_be_seen(tmp_path):
    """The test above can fail."""
    page = tmp_path / "one.py"
    secret = "design/secret." + "md"
    page.write_text(f"# see limits.md, docs/tour.md and {secret}")

    assert named(page) == {secret}


def test_the_site_has_every_page():
    """What ``make site`` builds: each page once in the navigation, and no other."""
    text = (tree.ROOT / "mkdocs.yml").read_text(encoding="utf-8")

    listed = re.findall(r"^ +- (?:[^\n]*: )?(\S+\.md)$", text, re.MULTILINE)

    assert sorted(listed) == sorted(p.relative_to(DOCS).as_posix() for p in PAGES)


def test_every_room_of_the_core_has_its_reference():
    """A page a room, made from the docstrings of its front and of its names."""
    rooms = {path.parent.name for path in tree.ROOT.glob("sigmacount/*/__init__.py")}

    shown = {
        page.stem
        for page in (DOCS / "reference").glob("*.md")
        if f"::: sigmacount.{page.stem}\n" in page.read_text(encoding="utf-8")
    }

    assert rooms == shown


def lost_names(text):
    """Code that a page names in backticks, and that is not there."""
    for name in re.findall(r"`([^`\n]+)`", text):
        if PLACE.fullmatch(name):
            if not list(tree.ROOT.glob(name)):
                yield name
        elif DOTTED.fullmatch(name):
            try:
                resolve_name(name)
            except (ImportError, AttributeError):
                yield name


@each(LIVING)
def test_code_that_a_page_names_is_there(page):
    """A file or a name that moves takes the pages along; decisions are history."""
    assert not list(lost_names(page.read_text(encoding="utf-8")))


def test_code_that_moved_would_be_seen():
    """The test above can fail."""
    text = (
        "`store/lua/`, `sigmacount/sums.py`, `sigmacount.parse`, `sigmacount.nowhere`"
    )

    assert list(lost_names(text)) == ["sigmacount/sums.py", "sigmacount.nowhere"]


@pytest.mark.parametrize(
    ("question", "line", "place"),
    rows((tree.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), "a line that …"),
)
def test_a_line_lives_where_a_newcomer_is_sent(question, line, place):
    """The example is in that file, and in no other."""
    sources = (*tree.code(), *tree.ROOT.glob("store/lua/*.lua"))

    found = [
        tree.name(path)
        for path in sources
        if line.strip("`") in path.read_text(encoding="utf-8")
    ]

    assert found == [place.strip("`")], question


def test_two_dozen_lines_have_a_place():
    """Enough for a newcomer's first day."""
    text = (tree.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    assert len(rows(text, "a line that …")) == 24


def test_there_are_decisions():
    """Numbered without a hole."""
    assert [int(path.name[:4]) for path in ADRS] == list(range(1, len(ADRS) + 1))
    assert len(ADRS) >= 9


@pytest.mark.parametrize("path", ADRS, ids=lambda path: path.name)
def test_a_decision_says_why_and_what_else(path):
    """Problem, Decision, Alternatives, Consequences; half a page."""
    text = path.read_text(encoding="utf-8")

    parts = re.findall(r"^## (.*)$", text, re.MULTILINE)

    assert parts == ["Problem", "Decision", "Alternatives", "Consequences"]
    assert text.startswith(f"# {int(path.name[:4])}. ")
    assert len(text.split()) < 400


def test_every_release_begins_with_privacy():
    """Whoever reads one line of the changelog reads that one."""
    text = (tree.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    releases = re.split(r"^## ", text, flags=re.MULTILINE)[1:]

    assert releases
    for release in releases:
        assert re.search(r"^### (\w+)", release, re.MULTILINE)[1] == "Privacy"


def test_every_dependency_has_a_line():
    """Why this one, and what it would take to leave."""
    text = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    explained = re.findall(
        r"^\| `([a-z0-9-]+)` \| \S.* \| \S.* \|$", text, re.MULTILINE
    )

    direct = [
        Requirement(line).name
        for name in (
            "requirements.in",
            "requirements-embedded.in",
            "requirements-notebook.in",
            "requirements-dev.in",
            "requirements-docs.in",
        )
        for line in (tree.ROOT / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]

    assert explained == list(dict.fromkeys(direct))
