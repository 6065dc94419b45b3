"""The reference pages say what the code does: every example is tried."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from cli import error_reference
from config.declarations import datasets
from config.declarations.declaration import KINDS, Declaration, Source
from sigmacount.language import parse, parse_question
from streams.wire.messages.catalog import Catalog, CatalogAttribute, Promise
from streams.wire.messages.events import (
    FreshCountAsked,
    PlanProposed,
    QueryAnswered,
    QueryAsked,
    QueryLogged,
    RowChanged,
)
from streams.wire.messages.privacy import (
    ContinualGuarantee,
    ContinualZcdpGuarantee,
    FixedNoiseGuarantee,
    FixedNoiseZcdpGuarantee,
    RenewGuarantee,
    RenewZcdpGuarantee,
)
from streams.wire.messages.standing import StandingQuestion
from streams.wire.messages.tables import CountTable, Quote
from streams.wire.topics import Topics
from tests.house import tree
from tests.house.test_documents import rows

DOCS = tree.ROOT / "docs"
PEOPLE = datasets.load_schema("people")


def page(name):
    """A page of docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def code(cell):
    """What a cell of a table holds between backticks."""
    return cell.strip("`").replace("\\|", "|")


EXAMPLES = re.findall(r"```toml\n(.*?)```", page("declaration.md"), re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_of_a_declaration_can_be_loaded(text):
    """Whole, as it stands on the page."""
    assert datasets.read(tomllib.loads(text)).schema.attributes


def test_the_shipped_example_is_the_one_on_the_page():
    """But for the texts that mean missing, which it shows beside."""
    shown = datasets.read(tomllib.loads(EXAMPLES[0]))

    assert shown.schema == PEOPLE


def test_every_key_of_a_declaration_has_a_line():
    """Of the file, of its source and of an attribute; and no line is of no key."""
    text = page("declaration.md")
    tables = re.findall(r"^\| key \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    file, source, attribute = (
        {code(line.split("|")[1].strip()) for line in table.splitlines()}
        for table in tables
    )

    assert file == set(Declaration.model_fields)
    assert source == set(Source.model_fields)
    assert attribute == set().union(*(kind.model_fields for kind in KINDS.values()))


@pytest.mark.parametrize(("one", "other"), rows(page("queries.md"), "question"))
def test_two_spellings_are_one_question(one, other):
    """SQL beside SQL."""
    assert parse(PEOPLE, code(one)) == parse(PEOPLE, code(other))


@pytest.mark.parametrize(
    ("sql", "where", "fields"), rows(page("queries.md"), "statement")
)
def test_a_statement_asks_what_the_fields_beside_it_ask(sql, where, fields):
    """A condition, and what it is grouped by and shows."""
    beside = json.loads(code(fields))

    asked = parse_question(PEOPLE, code(where), **beside)

    assert parse_question(PEOPLE, code(sql)) == asked


@pytest.mark.parametrize(("one", "other"), rows(page("queries.md"), "JSON"))
def test_json_means_what_its_sql_means(one, other):
    """The object beside the text."""
    assert parse(PEOPLE, json.loads(code(one))) == parse(PEOPLE, code(other))


MESSAGES = (
    RowChanged,
    QueryAsked,
    QueryAnswered,
    StandingQuestion,
    Catalog,
    FreshCountAsked,
    QueryLogged,
    PlanProposed,
)
PARTS = {
    "table": CountTable,
    "quote": Quote,
    "attributes": CatalogAttribute,
    "promise": Promise,
}


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda k: k.__name__)
def test_every_field_of_a_message_has_a_line(kind):
    """In the order in which it travels, and no line is of no field."""
    lines = rows(page("messages.md"), f"field of `{kind.__name__}`")

    assert [code(line[0]) for line in lines] == list(kind.__struct_encode_fields__)


@pytest.mark.parametrize(("part", "kind"), PARTS.items())
def test_every_field_of_a_part_of_a_message_has_a_line(part, kind):
    """In the order in which it travels, and no line is of no field."""
    lines = rows(page("messages.md"), f"field of `{part}`")

    assert [code(line[0]) for line in lines] == list(kind.__struct_encode_fields__)


@pytest.mark.parametrize(
    ("heading", "kinds"),
    [
        (
            "field of `guarantee`",
            (FixedNoiseGuarantee, RenewGuarantee, ContinualGuarantee),
        ),
        (
            "field of `guarantee` in ρ",
            (FixedNoiseZcdpGuarantee, RenewZcdpGuarantee, ContinualZcdpGuarantee),
        ),
    ],
)
def test_every_field_of_a_guarantee_has_a_line(heading, kinds):
    """Of all rules, the tag before them."""
    lines = rows(page("messages.md"), heading)

    fields = dict.fromkeys(f for k in kinds for f in k.__struct_encode_fields__)
    assert sorted(code(line[0]) for line in lines) == sorted(["rule", *fields])
    tags = [kind.__struct_config__.tag for kind in kinds]
    assert [cell for cell in lines[0] if "fixed" in cell] == [
        ", ".join(f"`{tag}`" for tag in tags)
    ]


def test_every_topic_has_a_section_or_a_line():
    """A new topic is a thing to be told."""
    text = page("messages.md")
    carried = {kind.__name__ for kind in MESSAGES}

    for topic in Topics.named("").all():
        kind = getattr(topic.carries, "__name__", None)
        assert f"`{topic.name}`" in text or kind in carried


def test_the_table_of_errors_is_what_the_code_raises():
    """`make docs` remakes it."""
    assert page("errors.md") == error_reference.errors()
