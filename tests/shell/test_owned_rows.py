"""Rows of owners: ids say whose rows they are, and none has more than it may."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Continual
from sigmacount.errors import Mismatch
from sigmacount.models import RowIdentity
from store.sensitive import Rows, Truth
from streams.formats.choice import Reading, row_format
from streams.formats.owned_rows import owners_row
from streams.wire.records import BadRecord
from tests.fixtures.continual_steps import counted as group_of
from tests.fixtures.continual_steps import life
from tests.fixtures.counter_steps import COOK, NURSE, TOPICS, CounterSteps, row
from tests.fixtures.curator_steps import World
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.row_events import ROW, SCHEMA, event
from workers.curator.epochs.snapshot import EpochSnapshot

NO_OWNER, TOO_MANY = "no_owner", "too_many_rows_of_owner"
READING = Reading(owner_rows=2, rule="any")
# Beside ada/1: what would be a third row of hers if it counted.
OTHER_SPELLINGS = ["ada/01", "ada/1 ", "ada/+1", "ada/1.0", "ada/\u0661", "ada/\u00b9"]
OTHER_SPELLINGS += ["ada/1\n"]


def decoded(*ids):
    """What the counter's format makes of inserts of these."""
    records = [MemoryRecord(event(i, id=i)[1], key=i.encode()) for i in ids]
    return row_format(SCHEMA, 1, READING).decode(records)


@pytest.fixture
def world(redis, keys):
    """Nobody yet."""
    return World.of(redis, keys)


def aside(steps: CounterSteps) -> list[tuple[bytes, bytes]]:
    """Key and reason of what was set aside."""
    return [
        (letter.key, dict(letter.headers)["sigma.reason"])
        for letter in steps.out.on(TOPICS.dead_letters)
    ]


@given(owner=st.text(min_size=1), number=st.integers(1, 10**6))
def test_an_id_is_an_owner_and_a_number(owner, number):
    """Whatever the owner is called, slashes and line breaks too."""
    assert owners_row(f"{owner}/{number}") == number


@pytest.mark.parametrize("id_", ["ada", "/1", "ada/", "ada/0", *OTHER_SPELLINGS])
def test_a_number_is_spelled_in_one_way(id_):
    """Else an owner had a row more for each spelling."""
    assert owners_row(id_) is None


@pytest.mark.parametrize(
    ("id_", "number"),
    [
        ('["ada",2]', 2),
        ('["ada","north",12]', 12),
        ("[17,2]", 2),
        ('["ada/2"]', None),
        ('["ada","2"]', None),
        ('["ada",02]', None),
        ("[2]", None),
        ("ada/2", None),
        ('"ada/2"', None),
        ("2", None),
    ],
)
def test_a_key_of_several_columns_ends_with_the_number(id_, number):
    """Of a table that Debezium reads; its other columns are the owner."""
    assert owners_row(id_, of_key=True) == number


def of_table(key):
    """What a connector sends when a row with this key was inserted."""
    value = json.dumps({"op": "c", "before": None, "after": ROW})
    return MemoryRecord(value.encode(), key=key.encode())


def test_a_table_has_owner_and_number_in_its_key():
    """As Debezium spells it; the number is its last column."""
    reading = Reading("debezium", rule="any", owner_rows=2)
    keys = ['{"whose":"ada","n":2}', '{"whose":"ada","n":3}', '{"id":"ada/1"}']

    found = row_format(SCHEMA, 1, reading).decode(list(map(of_table, keys)))

    assert found.ids == ['["ada",2]']
    assert found.bad == [BadRecord(1, TOO_MANY), BadRecord(2, NO_OWNER)]


def test_rows_of_nobody_and_rows_beyond_the_bound_are_bad():
    """Each with its reason and its place; the others count."""
    found = decoded("ada/1", "eve", "ada/3", "ada/2", "bob/99", "x/ada/2")

    assert found.ids == ["ada/1", "ada/2", "x/ada/2"]
    assert found.codes.shape == (3,)
    assert found.bad == [
        BadRecord(1, NO_OWNER),
        BadRecord(2, TOO_MANY),
        BadRecord(4, TOO_MANY),
    ]


def test_without_a_bound_ids_are_what_they_like():
    """As they always were."""
    record = MemoryRecord(event("eve", id="eve")[1], key=b"eve")

    assert row_format(SCHEMA, 1, Reading(rule="any")).decode([record]).ids == ["eve"]


@pytest.mark.parametrize(
    ("reading", "behind", "most"),
    [
        (Reading(), "", None),
        (Reading("debezium"), "+debezium", None),
        (Reading(owner_rows=3), "+owner-rows=3", 3),
        (Reading("debezium", owner_rows=12), "+debezium+owner-rows=12", 12),
    ],
)
def test_the_bound_belongs_to_what_gives_ids_their_meaning(reading, behind, most):
    """Counts with one are not counts with another."""
    identity = RowIdentity("t", "c", 1, reading.fingerprint(SCHEMA))

    assert identity.fingerprint == SCHEMA.fingerprint + behind
    assert identity.schema == SCHEMA.fingerprint
    assert identity.owner_rows == most


@pytest.mark.redis
async def test_nobody_has_more_rows_than_the_bound_whatever_comes(world):
    """Two of ada's rows count, and one of bob's; a third is a dead letter each time."""
    ids = ["ada/1", "ada/2", "ada/3", "bob/1", "eve", "ada/3"]
    records = [row(id_, COOK) for id_ in ids]
    steps = CounterSteps(world, *records, limit=4, owner_rows=2)

    assert await steps.counted(6) == [3, 0]

    assert aside(steps) == [
        (b"ada/3", TOO_MANY.encode()),
        (b"eve", NO_OWNER.encode()),
        (b"ada/3", TOO_MANY.encode()),
    ]


@pytest.mark.redis
async def test_a_number_that_is_used_again_goes_on_counting_changes(world):
    """Else whoever deletes and inserts made changes without end."""
    again = (row("ada/1", COOK), row("ada/1", "null", "delete")) * 3
    steps = CounterSteps(world, *again, limit=4, owner_rows=1)

    assert await steps.counted(6) == [0, 0]
    assert [reason for _, reason in aside(steps)] == [b"too_many_changes"]


@pytest.mark.redis
async def test_the_letter_says_what_to_do_and_no_value(world):
    """The setting by its name."""
    steps = CounterSteps(world, row("ada/3", NURSE), limit=4, owner_rows=2)
    await steps.counted(1)

    [letter] = steps.out.on(TOPICS.dead_letters)
    said = dict(letter.headers)

    assert b"SIGMA_PRIVACY_OWNER_ROWS" in said["__connect.errors.exception.message"]
    assert not any(b"Oslo" in text for text in said.values())


@pytest.mark.redis
@pytest.mark.parametrize("other", [None, 1, 3])
async def test_the_bound_stays_what_it_was(world, other):
    """The counter ends, and so does the rebuild that its text names first."""
    await CounterSteps(world, row("ada/1", COOK), limit=3, owner_rows=2).counted(1)
    steps = CounterSteps(world, row("ada/1", COOK), limit=3, owner_rows=other)

    with pytest.raises(Mismatch, match="fingerprint"):
        await steps.counted(1)
    with pytest.raises(Mismatch, match="another name"):
        await Rows(world.redis, world.keys).rebuild(0, None, 0, steps.identity, 1)

    assert await Truth(world.redis, world.keys).positions([0]) == [1]


@pytest.mark.redis
@pytest.mark.parametrize(
    ("counted", "promised", "fits"),
    [(2, 2, True), (2, 3, True), (3, 2, False), (None, 2, False), (2, None, True)],
)
async def test_a_curator_promises_no_owner_more_than_counters_hold(
    world, counted, promised, fits
):
    """Where counters let owners have more rows, nothing is released."""
    steps = CounterSteps(world, row("ada/1", COOK), limit=4, owner_rows=counted)
    await steps.counted(1)
    truth = Truth(world.redis, world.keys)
    snapshot = EpochSnapshot(truth, world.schema, range(1), 0, 4, promised)

    if fits:
        assert (await snapshot.look()).replica is not None
    else:
        with pytest.raises(Mismatch, match="SIGMA_PRIVACY_OWNER_ROWS"):
            await snapshot.look()


@pytest.mark.redis
async def test_a_curator_whose_answers_would_promise_it_releases_nothing_else(
    redis, keys
):
    """Of rows that were counted by ids of any kind."""
    world = await World.of_two(redis, keys)
    rule = Continual(128, 1.0, delta=1e-9, changes_limit=4, owner_rows=2)

    with pytest.raises(Mismatch, match="nobody has more than 2 rows"):
        await (await life(world, rule=rule)).tick(
            group_of(world.schema, "sex"), version=1
        )
