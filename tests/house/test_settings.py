"""Every setting explains itself, and every setting turns something."""

from __future__ import annotations

import pytest

from config import reference_tables
from config.servers import Passwords
from config.settings import GROUPS, declared
from store.server.acl import ROLES
from tests.house import tree

SETTINGS = tuple(declared())
# Free text has no bounds; flags and choices list theirs in the type.
NAMES = {"start of a topic's name", "name of a topic", "topics"}
UNBOUNDED = {"text", "secret text", "path", "yes or no", *NAMES}


# What clients, roles and the command line take from each group, by the syntax tree.
READERS = ("workers.catalog", "workers.clients", "workers.roles", "cli")
READ = {
    read
    for path in tree.code()
    if tree.module(path).startswith(READERS)
    for read in tree.reads(path)
}


def test_there_are_settings():
    """The tests below look at something."""
    assert len(SETTINGS) > 40


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.variable)
def test_a_setting_has_a_unit_bounds_and_a_reason(setting):
    """An operator can turn it without reading the code."""
    assert setting.unit
    assert setting.bounds or setting.unit in UNBOUNDED
    assert len(setting.reason.split()) >= 3
    assert setting.reason.endswith(".")


def test_only_a_person_can_name_the_total():
    """The total budget has no default, and no other number stands in for it."""
    (budget,) = (
        setting for setting in SETTINGS if setting.variable == "SIGMA_PRIVACY_BUDGET"
    )

    assert budget.default is None


@pytest.mark.parametrize("page", ["settings", "metrics"])
def test_the_page_is_the_one_the_code_makes(page):
    """`make docs` makes it anew."""
    written = (tree.ROOT / f"docs/{page}.md").read_text(encoding="utf-8")

    assert written == getattr(reference_tables, page)()


def test_editors_are_shown_the_declaration_that_the_code_takes():
    """`make docs` makes the JSON Schema anew; the shipped files name it."""
    schema = tree.ROOT / "config/datasets.schema.json"

    assert schema.read_text(encoding="utf-8") == reference_tables.declarations()
    for path in (tree.ROOT / "config/datasets").glob("*.toml"):
        first, *_ = path.read_text(encoding="utf-8").splitlines()
        assert first == f"#:schema ../{schema.name}"


@pytest.mark.parametrize(
    "field",
    [
        (group, field)
        for group in GROUPS
        if group is not Passwords  # taken by role, all or none
        for field in group.model_fields
    ],
    ids=lambda pair: pair[0].variable(pair[1]),
)
def test_every_knob_turns_something(field):
    """A setting that nothing reads is a promise that nobody keeps."""
    group, name = field

    assert (group.title().lower(), name) in READ, group.variable(name)


def test_every_user_of_the_store_has_a_password_to_set():
    """`sigma acl` asks for one of each."""
    assert set(Passwords.model_fields) == set(ROLES)
