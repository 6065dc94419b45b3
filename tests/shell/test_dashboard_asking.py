"""Levels that are clicked are the levels that are counted, however it is written."""

from __future__ import annotations

import ast
import json

import numpy as np
import pytest

from config.declarations import datasets
from dashboard.asking import asked_on_page, copies, sql
from dashboard.asking.clicked import MOST_BOXES, ranged
from dashboard.asking.copies import quoted_name
from dashboard.pages.ask import ask_page
from sigmaclient.question import Question
from sigmacount.language import parse, parse_question
from sigmacount.language.sql.screen import COUNT, KEYWORDS, STATEMENT
from workers.catalog import catalog_of

SHIPPED = datasets.shipped()


def shown(name):
    """The schema of a dataset, and what a gateway is told of it."""
    dataset = datasets.load(name)
    return dataset.schema, catalog_of(dataset)


def inside(schema, where, place):
    """The levels of one attribute that a condition on it alone counts."""
    query = parse(schema, where)
    assert list(query.active) == [place]
    return np.flatnonzero(query.table[query.blocks[0]]).tolist()


@pytest.mark.parametrize("name", SHIPPED)
def test_a_box_counts_its_own_level(name):
    """And a box of missing values those."""
    schema, catalog = shown(name)
    for place, each in enumerate(catalog.attributes):
        if ranged(each):
            continue
        for level in range(len(each.levels)):
            fields = {f"level.{place}": (str(level),)}
            asked = asked_on_page(catalog, fields)
            assert inside(schema, asked.where, place) == [level]
        if each.nullable:
            asked = asked_on_page(catalog, {f"level.{place}": ("null",)})
            assert inside(schema, asked.where, place) == [len(each.levels)]


def test_a_stretch_counts_from_bin_to_bin():
    """Those beyond the edges are bins like others; all of them are no condition."""
    schema, catalog = shown("visits")
    [place] = [n for n, each in enumerate(catalog.attributes) if each.name == "born"]
    last = len(catalog.attributes[place].levels) - 1
    assert last >= MOST_BOXES
    for first, final in ((0, 0), (0, 7), (3, 3), (1, last - 1), (last, last)):
        fields = {f"from.{place}": (str(first),), f"to.{place}": (str(final),)}
        where = asked_on_page(catalog, fields).where
        assert inside(schema, where, place) == list(range(first, final + 1))
    every = {f"from.{place}": ("0",), f"to.{place}": (str(last),)}
    assert asked_on_page(catalog, every).body() == {}


@pytest.mark.parametrize("name", SHIPPED)
def test_all_three_copies_are_the_same_question(name):
    """As the service reads them, the client of Python in between."""
    schema, catalog = shown(name)
    fields = {"by": (catalog.attributes[0].name,)}
    for place, each in enumerate(catalog.attributes[1:4], 1):
        fields[f"from.{place}"], fields[f"to.{place}"] = ("2",), ("5",)
        null = ("null",) if each.nullable else ()
        fields[f"level.{place}"] = ("0", *null)
    asked = asked_on_page(catalog, fields)
    body = asked.body() | {"max_cost": 7, "max_cost_measure": "epsilon"}

    said = copies(name, "ada", body)

    meant = parse_question(schema, asked.where, asked.by).key
    over_http = json.loads(said.json)
    assert over_http == body
    assert parse_question(schema, said.sql).key == meant
    event = asked_in_python(said.python).event("r", "ada")
    assert parse_question(schema, event.where, event.by).key == meant
    assert (event.max_cost, event.max_cost_measure) == (7, "epsilon")


def asked_in_python(program):
    """The question that a program asks of its session."""
    [call] = [
        node
        for node in ast.walk(ast.parse(program))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "ask"
    ]
    where = [ast.literal_eval(each) for each in call.args]
    options = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    return Question.of(*(where or [""]), **options)


def test_what_is_typed_is_taken_instead():
    """SQL as it is, and JSON as an object where it is one."""
    _, catalog = shown("people")
    clicked = {"level.1": ("0",)}

    for typed, where in (
        (" age >= 30 ", "age >= 30"),
        ('{"sex": "F"}', {"sex": "F"}),
        ('{"sex": ', '{"sex":'),
    ):
        assert asked_on_page(catalog, clicked | {"where": (typed,)}).where == where
    assert asked_on_page(catalog, clicked).where == {"sex": ["F"]}
    assert sql("people", {"where": {"sex": {"is_null": True}}}) is None


@pytest.mark.parametrize("said", ["", "x", "-1", "inf", "nan", "1e999"])
def test_an_accuracy_that_is_none_is_left_out(said):
    """The page comes back with what was typed."""
    _, catalog = shown("people")

    assert asked_on_page(catalog, {"error": (said,)}).error is None
    assert ask_page(catalog, {"error": (said,)}).error == said
    assert asked_on_page(catalog, {"error": ("25",)}).error == 25


@pytest.mark.parametrize(
    "name", [*filter(str.isalpha, " ".join([*KEYWORDS, *STATEMENT, COUNT]).split())]
)
def test_words_of_the_language_are_quoted_as_names(name):
    """Other names only where they must be."""
    assert quoted_name(name.lower()) == f'"{name.lower()}"'
    assert quoted_name("native-country") == '"native-country"'
    assert quoted_name('a"b') == '"a""b"'
    assert quoted_name("age") == "age"
