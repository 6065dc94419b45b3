"""A ledger is kept in one measure for life, by the scripts and by the model."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge
from sigmacount.errors import (
    MeasureMismatch,
    MeasurePinned,
)
from sigmacount.mechanisms import Measure
from sigmacount.models.ledger import Ledger
from store.keys import LEDGER, LEDGER_ENTRIES, Keys
from tests.contracts.ledgers import (
    SHARED,
    at_noon,
    charges,
    expect,
    in_measure,
    opened,
    paid,
    remembered,
    state,
)

pytestmark = pytest.mark.redis


@given(rules=opened, before=st.lists(charges, max_size=4), stray=paid)
@SHARED
async def test_a_charge_of_another_measure_is_refused_and_changes_nothing(
    redis, rules, before, stray
):
    """By model and store alike, also where the id was granted; a note is welcome."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    shared, ledger = at_noon(redis, keys), Ledger(keys.dataset, *rules)
    await shared.open(1, *rules)
    for wish in in_measure(before, rules):
        [_], (_, ledger) = await shared.charge_many(1, [wish]), expect(ledger, wish)
    other = next(each for each in Measure if each is not rules[3])
    # A surcharge is in ε in any ledger.
    strange = Measure.RHO if stray.is_surcharge else other

    with pytest.raises(MeasureMismatch) as refusal:
        ledger.charge(replace(stray, measure=strange))
    with pytest.raises(MeasureMismatch) as theirs:
        await shared.charge(1, replace(stray, measure=strange))

    assert theirs.value.args == refusal.value.args
    assert await state(shared) == remembered(ledger)
    await shared.note(1, Charge("rule:renew:9", "rule", 0, measure=other))
    assert await shared.verify()


async def test_a_ledger_without_a_measure_is_one_of_pure_epsilon(redis, keys):
    """An older version opened it: it goes on in ε, and in nothing else."""
    old = at_noon(redis, keys)
    await old.open(1, 100)
    await old.charge(1, Charge("a", "group", 7))
    await redis.hdel(keys.of(LEDGER), "measure")

    with pytest.raises(MeasurePinned) as refusal:
        await at_noon(redis, keys).open(1, 100, measure=Measure.RHO)
    with pytest.raises(MeasureMismatch):
        await old.charge(1, Charge("b", "group", 7, measure=Measure.RHO))

    assert refusal.value.args == (keys.dataset, "epsilon", "rho")
    assert not await redis.hexists(keys.of(LEDGER), "measure")
    assert (await old.totals()).measure is Measure.EPSILON
    assert (await old.charge(1, Charge("b", "group", 7))).left == 86
    assert (await at_noon(redis, keys).open(1, 100)).spent == 14
    assert await redis.hget(keys.of(LEDGER), "measure") == b"epsilon"


async def test_a_line_from_before_there_were_measures_is_still_in_the_chain(
    redis, keys
):
    """Its text has no such field, and its hash is what it was."""
    ledger = at_noon(redis, keys)
    await ledger.open(1, 100)
    await ledger.charge(1, Charge("a", "group", 7))
    entries = keys.of(LEDGER_ENTRIES)
    line = await redis.lindex(entries, 0)
    older = line.replace(b',"measure":"epsilon"', b"")
    assert older != line

    await redis.lset(entries, 0, older)

    assert await ledger.verify()
    await ledger.charge(1, Charge("b", "group", 7))
    assert await ledger.verify()


async def test_a_measure_that_was_changed_in_the_store_is_noticed(redis, keys):
    """The lines say what they were charged in."""
    ledger = at_noon(redis, keys)
    await ledger.open(1, 100)
    await ledger.charge(1, Charge("a", "group", 7))

    await redis.hset(keys.of(LEDGER), "measure", "rho")

    assert not await ledger.verify()
