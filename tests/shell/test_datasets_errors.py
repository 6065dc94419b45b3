"""A declaration that contradicts itself is refused with the place and the remedy."""

from __future__ import annotations

import tomllib

import pytest

from config.declarations.datasets import load, read
from sigmacount.errors import DomainTooLarge, InvalidSchema


def refusal(text):
    """What a declaration is refused with."""
    with pytest.raises(InvalidSchema) as refused:
        read(tomllib.loads(text), "my.toml")
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "my.toml: the key 'name' is missing"),
        ('name="a"', "my.toml: the key 'attributes' is missing"),
        ('name="a"\n[attribute.x]', "'attribute' has no meaning. Did you mean 'attrib"),
        ("name=3", "my.toml: name must be text"),
        ('name="a"\nsource=3', "my.toml: source must be a table"),
        ('name="a"\nattributes=3', "my.toml: attributes must be a table"),
        ('name="a"\n[attributes]', "at least one attribute"),
        ('name="a"\nattributes.x=3', "attribute 'x' must be a table: [attributes.x]"),
        (
            'name="a"\nsource.column=["x"]\n[attributes.x]\nkind="boolean"',
            "my.toml: source: the key 'column' has no meaning. Did you mean 'columns'?",
        ),
        (
            'name="a"\nsource.columns=["y"]\n[attributes.x]\nkind="boolean"',
            "source: columns lack the attribute 'x'",
        ),
        (
            'name="a"\nsource.missing=[0]\n[attributes.x]\nkind="boolean"',
            "source: missing must be a list of text",
        ),
    ],
)
def test_a_wrong_declaration_is_refused_with_the_place(text, said):
    """File, key, and the closest key that has a meaning."""
    assert said in refusal(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nullable=true", "attribute 'x': the key 'kind' is missing"),
        ('kind="int"', "kind 'int' is unknown. Did you mean 'integer'"),
        ('kind="integer"', "attribute 'x': the key 'edges' is missing"),
        ("kind=3", "kind '3' is unknown. Known: 'boolean', 'categorical'"),
        ('kind="categorical"', "the key 'levels' is missing"),
        ('kind="categorical"\nlevels="F"', "levels must be a list"),
        ('kind="categorical"\nlevels=[1]', "levels are non-empty text"),
        ('kind="categorical"\nlevels=["F"]\nnullable=1', "nullable must be true or"),
        ('kind="categorical"\nlevels=["F",""]', "levels are non-empty text; write num"),
        (
            'kind="categorical"\nlevels=["F"]\nother=""',
            "other must be text that is not",
        ),
        ('kind="categorical"\nlevels=["F","F"]', "my.toml: attribute 'x': level"),
        ('kind="categorical"\nlevels=["F"]\nlevel=1', "Did you mean 'levels'?"),
        ('kind="boolean"\nedges=[1]', "the key 'edges' has no meaning"),
        ('kind="integer"\nedges=[2,1]', "my.toml: attribute 'x': edges must ascend"),
        ('kind="integer"\nedges=[1,2.5]', "its edges are no integer values"),
        ('kind="date"\nedges=[1,2]', "its edges are no date values"),
        ('kind="integer"\nedges=[1,2]\noutside="refuse"', "outside must be one of"),
        ('kind="integer"\nedges=5', "edges are a list such as [0, 10, 20], or a table"),
        ('kind="date"\nedges={start=1}', "every = 'month' }"),
        ('kind="integer"\nedges=[{after=0},9]', "whole numbers, dates and times take"),
        (
            'kind="number"\nedges=[{after="0"},9]',
            "an edge is a value, or { after = 0 }",
        ),
        ('kind="number"\nedges=[{before=0},9]', "an edge is a value, or { after = 0 }"),
        ('kind="integer"\nedges={start=0,stop=9,step=2}', "no whole number of steps"),
        ('kind="integer"\nedges={start=0,stop=9,step=0}', "do not fit each other"),
        ('kind="integer"\nedges={start=0,stop=9,step=true}', "do not fit each other"),
        ('kind="integer"\nedges={start=9,stop=0,step=1}', "do not fit each other"),
        ('kind="integer"\nedges={start=0,stop="9",step=1}', "do not fit each other"),
        ('kind="number"\nedges={start=0,stop=1,step=1e-9}', "do not fit each other"),
        (
            'kind="date"\nedges={start=2024-01-31,stop=2024-12-31,every="month"}',
            "do not fit each other",
        ),
        (
            'kind="date"\nedges={start=2024-01-01,stop=2024-12-31,every="moon"}',
            "do not fit each other",
        ),
        (
            'kind="date"\nedges={start=2024-01-01,stop=2024-01-02,every="hour"}',
            "do not fit each other",
        ),
    ],
)
def test_a_wrong_attribute_is_refused_with_the_remedy(text, said):
    """With the attribute's name."""
    refused = refusal(f'name="a"\n[attributes.x]\n{text}')

    assert said in refused
    assert refused.startswith("my.toml: attribute 'x'")


def test_all_faults_are_said_at_once():
    """A line each, in the order of the models, with the table that holds it."""
    text = """
        names = "a"
        source.id = 4
        [attributes.x]
        kind = "integer"
        edges = [2, 1]
        [attributes.y]
        nullable = true
        [attributes.z]
        kind = "categorical"
        levels = [1, 2]
        order = ["F"]
    """

    assert refusal(text).splitlines() == [
        "my.toml: the key 'name' is missing",
        "my.toml: attribute 'x': edges must ascend, each above the one before.",
        "my.toml: attribute 'y': the key 'kind' is missing",
        "my.toml: attribute 'z': levels are non-empty text; write numbers in quotes.",
        "my.toml: attribute 'z': the key 'order' has no meaning. Did you mean 'other'?",
        "my.toml: source: id must be text",
        "my.toml: the key 'names' has no meaning. Did you mean 'name'?",
    ]


def test_a_file_that_is_no_toml_is_refused_with_the_line(tmp_path):
    """As the TOML reader says it."""
    path = tmp_path / "broken.toml"
    path.write_text('name = "a\n', encoding="utf-8")

    with pytest.raises(
        InvalidSchema, match=r"broken\.toml cannot be read as TOML: .*line 1"
    ):
        load(path)


def test_an_unknown_dataset_is_offered_the_close_ones(tmp_path):
    """A name is looked up, a path is opened."""
    with pytest.raises(InvalidSchema, match="Did you mean 'adult'"):
        load("adlut")
    with pytest.raises(InvalidSchema, match=r"gone\.toml cannot be read"):
        load(tmp_path / "gone.toml")


def test_a_domain_too_large_names_what_to_coarsen():
    """The core's own refusal comes through whole."""
    wide = "".join(
        f'[attributes.a{i}]\nkind="integer"\nedges={{start=0,stop=10000,step=1}}\n'
        for i in range(5)
    )

    with pytest.raises(DomainTooLarge, match=r"a0 \(10000 levels\)"):
        read(tomllib.loads(f'name="a"\n{wide}'))


SOUND = {
    "name": "people",
    "attributes": {"age": {"kind": "number", "edges": [0, 1]}},
}


@pytest.mark.parametrize("name", ["a}b", "*", "a:b", "é", "-a", "", "a" * 65, "a\n"])
def test_a_name_that_no_key_can_hold_is_refused_with_the_declaration(name):
    """Before any topic or key is made of it."""
    with pytest.raises(InvalidSchema, match="1 to 64 letters"):
        read(SOUND | {"name": name})


@pytest.mark.parametrize(
    "text",
    [
        "edges = [" + "1" * 5000 + "]",
        "x = " + "[" * 20_000 + "]" * 20_000,
    ],
)
def test_what_the_reader_of_toml_stumbles_over_is_a_fault_of_the_file(tmp_path, text):
    """No defect of ours."""
    path = tmp_path / "odd.toml"
    path.write_text(text)

    with pytest.raises(InvalidSchema, match=r"odd\.toml cannot be read as TOML"):
        load(path)


@pytest.mark.parametrize(
    ("kind", "edges"),
    [
        ("date", {"start": "2020-01-01", "stop": "2020-02-01", "every": "month"}),
        ("integer", {"start": 1, "stop": 9, "every": "year"}),
        ("number", [{"after": 10**400}, 1]),
    ],
)
def test_edges_of_the_wrong_type_are_named(kind, edges):
    """A date in quotes, a month after a number, a number that is no float."""
    odd = {"age": {"kind": kind, "edges": edges}}

    with pytest.raises(InvalidSchema, match=r"attribute 'age'.*edge"):
        read(SOUND | {"attributes": odd})
