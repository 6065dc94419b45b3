"""Declarations in TOML: the shipped ones, and what each key means."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from config.declarations.datasets import load, load_schema, read, shipped
from sigmacount.domain import Attribute
from sigmacount.errors import InvalidSchema
from sigmacount.language import parse

PEOPLE = """
name = "people"
description = "some people"
source.missing = ["?", ""]

[attributes.age]
description = "in years"
kind = "integer"
edges = { start = 0, stop = 30, step = 10 }
outside = "bins"

[attributes.sex]
kind = "categorical"
levels = ["F", "M"]
other = "X"
nullable = true
"""
HOURS = """
kind = "datetime"
edges = { start = 2024-01-01T00:00:00, stop = 2024-01-01T02:00:00, every = "hour" }
"""


def attribute(text):
    """The attribute x of a declaration that holds nothing else."""
    declared = tomllib.loads(f'name = "t"\n[attributes.x]\n{text}')
    return read(declared).schema.attributes[0]


def test_a_declaration_becomes_a_schema(tmp_path):
    """Attributes in the order of the file, and what files look like."""
    path = tmp_path / "people.toml"
    path.write_text(PEOPLE, encoding="utf-8")

    dataset = load(path)

    assert dataset.schema.name == "people"
    assert dataset.schema.attributes == (
        Attribute.binned("age", "integer", [0, 10, 20, 30], outside="bins"),
        Attribute.categorical("sex", ["F", "M"], other="X", nullable=True),
    )
    assert dataset.description == "some people"
    assert dataset.about == {"age": "in years"}
    assert dataset.columns == ()
    assert dataset.missing == {"?", ""}
    assert dataset.rows_max == 10**9
    assert load_schema(str(path)) == dataset.schema


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_declaration_is_valid(name):
    """And is found by its name."""
    dataset = load(name)

    assert dataset.schema.name == name
    assert dataset.description
    assert dataset.schema.cells < 2**40


def test_the_shipped_ones_are_known():
    """The demo, the examples, and one with every kind of attribute."""
    assert shipped() == ("adult", "people", "visits")
    kinds = {attribute.kind for attribute in load_schema("visits").attributes}
    assert kinds == {"categorical", "datetime", "date", "number", "boolean"}


def test_adult_takes_the_rows_of_its_file():
    """A line of adult.data is a row; fnlwgt names no group and is left out."""
    adult = load("adult")
    line = (
        "39,State-gov,77516,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,"
        "Male,2174,0,40,?,<=50K"
    )
    row = dict(zip(adult.columns, line.split(","), strict=True))
    numbers = {a.name for a in adult.schema.attributes if a.kind == "integer"}
    values = {
        name: None if text in adult.missing else int(text) if name in numbers else text
        for name, text in row.items()
    }

    cell = adult.schema.cell_code(values)

    levels = adult.schema.levels_of(np.array([cell]))[0]
    labels = [
        attribute.levels[level]
        for attribute, level in zip(adult.schema.attributes, levels, strict=True)
    ]
    assert labels == [
        "35-39", "State-gov", "Bachelors", "13", "Never-married", "Adm-clerical",
        "Not-in-family", "White", "Male", "1-4999", "0", "40", "NULL", "<=50K",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "where",
    [
        "age BETWEEN 30 AND 39 AND sex = 'Female'",
        "NOT (race IN ('Black', 'White') OR hours_per_week >= 40)",
        "capital_gain > 0 AND income = '>50K'",
        "education_num >= 13 AND native_country <> 'United-States'",
        "hours_per_week = 40 AND capital_loss = 0 AND workclass IS NOT NULL",
        "age >= 60",
    ],
)
def test_adult_can_be_asked_what_people_ask(where):
    """Natural questions fall on the edges of its bins."""
    assert parse(load_schema("adult"), where).active


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ('kind="integer"\nedges=[1,3,10]', ("1-2", "3-9")),
        ('kind="integer"\nedges={start=0,stop=4,step=2}', ("0-1", "2-3")),
        ('kind="number"\nedges={start=0.0,stop=0.3,step=0.1}', None),
        ('kind="number"\nedges=[0,{after=0},100]', ("0.0", "(0.0, 100.0)")),
        (
            'kind="date"\nedges={start=2024-01-31,stop=2024-02-02,every="day"}',
            ("2024-01-31", "2024-02-01"),
        ),
        (
            'kind="date"\nedges={start=2024-11-01,stop=2025-02-01,every="month"}',
            (
                "2024-11-01..2024-11-30",
                "2024-12-01..2024-12-31",
                "2025-01-01..2025-01-31",
            ),
        ),
        (
            'kind="date"\nedges={start=2023-01-01,stop=2025-01-01,every="year"}',
            ("2023-01-01..2023-12-31", "2024-01-01..2024-12-31"),
        ),
        (
            HOURS,
            (
                "[2024-01-01T00:00:00Z, 2024-01-01T01:00:00Z)",
                "[2024-01-01T01:00:00Z, 2024-01-01T02:00:00Z)",
            ),
        ),
        (
            'kind="datetime"\nedges={start=2024-01-01,stop=2024-01-15,every="week"}',
            (
                "[2024-01-01T00:00:00Z, 2024-01-08T00:00:00Z)",
                "[2024-01-08T00:00:00Z, 2024-01-15T00:00:00Z)",
            ),
        ),
        ('kind="boolean"\nnullable=true', ("false", "true", "NULL")),
    ],
)
def test_edges_are_listed_or_counted(text, levels):
    """Steps of a number, or every hour, day, week, month, quarter, year."""
    if levels is None:
        assert attribute(text).edges == (0.0, 0.1, 0.2, 0.3)
    else:
        assert attribute(text).levels == levels


def test_a_quarter_is_three_months():
    """Across the end of a year."""
    quarters = attribute(
        'kind="date"\nedges={start=2024-07-01,stop=2025-07-01,every="quarter"}'
    )

    assert [label[:10] for label in quarters.levels] == [
        "2024-07-01",
        "2024-10-01",
        "2025-01-01",
        "2025-04-01",
    ]


def test_a_dataset_says_how_many_rows_it_may_have():
    """Beside its levels, and at least one."""
    declared = tomllib.loads(PEOPLE)

    assert read({**declared, "rows_max": 5_000}).rows_max == 5_000
    with pytest.raises(InvalidSchema, match="rows_max"):
        read({**declared, "rows_max": 0})
