"""Every knob explains itself, and every knob turns something."""

from __future__ import annotations

import pytest

from config import table
from config.servers import Passwords
from config.settings import GROUPS, knobs
from store.server.acl import ROLES
from tests.house import tree

KNOBS = tuple(knobs())
# Free text has no bounds; flags and choices list theirs in the type.
UNBOUNDED = {"text", "secret text", "path", "yes or no", "start of a topic's name"}


# What clients, roles and the command line take from each group, by the syntax tree.
READ = {
    read
    for path in tree.code()
    if tree.module(path).startswith(("workers.clients", "workers.roles", "cli"))
    for read in tree.reads(path)
}


def test_there_are_knobs():
    """The tests below look at something."""
    assert len(KNOBS) > 40


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.variable)
def test_a_knob_has_a_unit_bounds_and_a_reason(knob):
    """An operator can turn it without reading the code."""
    assert knob.unit
    assert knob.bounds or knob.unit in UNBOUNDED
    assert len(knob.reason.split()) >= 3
    assert knob.reason.endswith(".")


def test_only_a_person_can_name_the_total():
    """The total budget has no default, and no other number stands in for it."""
    (budget,) = (knob for knob in KNOBS if knob.variable == "SIGMA_PRIVACY_BUDGET")

    assert budget.default is None


@pytest.mark.parametrize("page", ["settings", "metrics"])
def test_the_page_is_the_one_the_code_makes(page):
    """`make docs` makes it anew."""
    written = (tree.ROOT / f"docs/{page}.md").read_text(encoding="utf-8")

    assert written == getattr(table, page)()


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
    """A knob that nothing reads is a promise that nobody keeps."""
    group, name = field

    assert (group.__name__.lower(), name) in READ, group.variable(name)


def test_every_user_of_the_store_has_a_password_to_set():
    """`sigma acl` asks for one of each."""
    assert set(Passwords.model_fields) == set(ROLES)
