"""Charges: what may be asked, and lines that vouch for one another."""

import dataclasses
import hashlib

import pytest

from sigmacount.accounting import (
    MOST_UNITS,
    Charge,
    Entry,
    chain,
    first_hash,
    follows,
    intact,
)
from sigmacount.mechanisms import Measure


def two_lines():
    """A chain of two."""
    first = chain(first_hash("census"), Charge("a", "fresh", 1))
    return first, chain(first.hash, Charge("b", "fresh", 2))


@pytest.mark.parametrize(
    "change",
    [
        {"charge_id": "z"},
        {"purpose": "group"},
        {"asked": 3},
        {"client": "bob"},
        {"repeats": 1},
        {"measure": Measure.RHO},
    ],
)
def test_a_changed_line_breaks_the_chain(change):
    """Every field is vouched for."""
    first, second = two_lines()

    forged = Entry(dataclasses.replace(first.charge, **change), first.hash)

    assert intact("census", [first, second])
    assert not intact("census", [forged, second])


def test_a_dropped_or_moved_line_breaks_the_chain():
    """Order and completeness are vouched for, and so is the dataset."""
    first, second = two_lines()

    assert not intact("census", [second])
    assert not intact("census", [second, first])
    assert not intact("other", [first, second])


def test_the_hash_is_of_a_text_that_others_can_write():
    """The format is fixed, for it outlives every version of this code."""
    entry = chain("00", Charge("é", "fresh", 5, "ann"))

    text = rb'["00","\u00e9","fresh",5,"ann",0]'
    assert entry.hash == hashlib.sha256(text).hexdigest()


def test_the_moment_and_the_attributes_are_vouched_for():
    """Once a line has them; lines from before there were any stay as they are."""
    charge = Charge("q", "fresh", 5, "ann", attributes=("age", "sex"))

    entry = chain("00", charge, 1_700)

    text = b'["00","q","fresh",5,"ann",0,1700,["age","sex"]]'
    assert entry.hash == hashlib.sha256(text).hexdigest()
    assert follows("00", [entry])
    assert not follows("00", [dataclasses.replace(entry, at_ms=1_701)])
    bare = dataclasses.replace(charge, attributes=())
    assert not follows("00", [dataclasses.replace(entry, charge=bare)])


def test_another_measure_than_pure_epsilon_is_vouched_for():
    """Lines in ε are hashed as they always were."""
    charge = Charge("q", "fresh", 5)

    entry = chain("00", dataclasses.replace(charge, measure=Measure.RHO))

    text = b'["00","q","fresh",5,null,0,null,[],"rho"]'
    assert entry.hash == hashlib.sha256(text).hexdigest()
    assert entry.hash != chain("00", charge).hash


def test_a_repeated_charge_is_known_by_what_it_pays_for():
    """Not by what is only noted for the auditor."""
    charge = Charge("q", "fresh", 5, "ann", attributes=("age",))

    assert charge.repeated_by(Charge("q", "fresh", 5, "ann"))
    assert not charge.repeated_by(Charge("q", "fresh", 5, "bob"))


@pytest.mark.parametrize(
    "fields",
    [
        {"charge_id": ""},
        {"purpose": "party"},
        {"asked": 0},
        {"asked": -1},
        {"asked": MOST_UNITS + 1},
        {"repeats": -1},
        {"repeats": MOST_UNITS + 1},
    ],
)
def test_a_charge_out_of_range_is_refused(fields):
    """Lua counts exactly up to 2^53 only; nothing but an epoch is free."""
    good = {"charge_id": "q", "purpose": "fresh", "asked": 1}

    with pytest.raises(ValueError, match=r"charge|asked"):
        Charge(**(good | fields))


def test_an_epoch_may_cost_nothing():
    """Its price is a difference of rounded figures."""
    assert Charge("t", "epoch", 0, repeats=1).asked == 0


def test_a_line_says_in_which_measure_it_was_charged():
    """The same number of pico-ρ is another line than that of µε."""
    pure, zcdp = (Charge("a", "fresh", 1, measure=each) for each in Measure)

    lines = [chain(first_hash("census"), charge, 1) for charge in (pure, zcdp)]

    assert lines[0].hash != lines[1].hash
    assert follows(first_hash("census"), lines[1:])
