"""ledger_restore.lua and charge.lua beside ``models.ledger.Ledger.restore``."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge
from sigmacount.errors import Fenced, MeasurePinned, Mismatch
from sigmacount.mechanisms import Measure
from sigmacount.models.ledger import Ledger
from store.keys import (
    LEDGER,
    LEDGER_CLIENTS,
    LEDGER_ENTRIES,
    LEDGER_SEEN,
    LEDGER_SURCHARGED,
    Keys,
)
from store.ledger.ledger import RedisLedger
from store.ledger.restoring import Rewriter
from tests.contracts.ledgers import (
    NOW,
    SHARED,
    at_noon,
    charges,
    in_measure,
    opened,
    remembered,
    state,
)

pytestmark = pytest.mark.redis


PARTS = (LEDGER, LEDGER_ENTRIES, LEDGER_SEEN, LEDGER_CLIENTS, LEDGER_SURCHARGED)


async def content(redis, keys):
    """All that is kept of a ledger, byte for byte."""
    return (
        await redis.hgetall(keys.of(LEDGER)),
        await redis.lrange(keys.of(LEDGER_ENTRIES), 0, -1),
        await redis.hgetall(keys.of(LEDGER_SEEN)),
        await redis.hgetall(keys.of(LEDGER_CLIENTS)),
        await redis.hgetall(keys.of(LEDGER_SURCHARGED)),
    )


async def forget(redis, keys):
    """The ledger is gone, as after FLUSHALL."""
    await redis.delete(*(keys.of(part) for part in PARTS))


@given(rules=opened, wishes=st.lists(charges, max_size=12), cut=st.integers(0, 12))
@SHARED
async def test_a_restored_ledger_is_what_charging_had_made_of_it(
    redis, rules, wishes, cut
):
    """Byte for byte, and as the model says; a second time changes nothing."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    shared, model = at_noon(redis, keys), Ledger(keys.dataset, *rules)
    await shared.open(1, *rules)
    await shared.charge_many(1, in_measure(wishes, rules))
    lines, whole = await shared.entries(), await content(redis, keys)
    await forget(redis, keys)
    older = at_noon(redis, keys)
    await older.open(1, *rules)
    await older.charge_many(1, [line.charge for line in lines[:cut]])
    held = await older.entries()

    await Rewriter(redis, keys).restore(1, held, lines)

    assert await content(redis, keys) == whole
    assert await state(shared) == remembered(model.restore(lines))
    await Rewriter(redis, keys).restore(1, lines, lines)
    assert await content(redis, keys) == whole
    assert await shared.verify()


async def test_a_ledger_that_was_lost_grants_nothing_until_it_is_opened(redis, keys):
    """The topic knows what was spent, not what may be."""
    [line] = Ledger(keys.dataset, 100).charge(Charge("a", "group", 9), NOW)

    await Rewriter(redis, keys).restore(1, [], [line])

    ledger = RedisLedger(redis, keys)
    assert await ledger.verify()
    totals = await ledger.totals()
    assert (totals.limit, totals.spent, totals.client_quota) == (0, 9, None)
    assert (await ledger.open(1, 100)).left == 91


@pytest.mark.parametrize("measure", Measure)
async def test_a_ledger_that_was_lost_comes_back_in_its_measure(redis, keys, measure):
    """Its lines say which: another cannot be opened over what was spent."""
    model = Ledger(keys.dataset, 100, measure=measure)
    [line] = model.charge(Charge("a", "group", 9, measure=measure), NOW)
    other = next(each for each in Measure if each is not measure)

    await Rewriter(redis, keys).restore(1, [], [line])

    with pytest.raises(MeasurePinned):
        await RedisLedger(redis, keys).open(1, 100, measure=other)
    totals = await RedisLedger(redis, keys).open(1, 100, measure=measure)
    assert (totals.left, totals.measure) == (91, measure)


async def test_lines_of_another_measure_are_not_restored(redis, keys):
    """By the model neither: what was spent would be read as something else."""
    ledger, model = RedisLedger(redis, keys), Ledger(keys.dataset, 100)
    await ledger.open(1, 100)
    before = await content(redis, keys)
    stray = Charge("a", "group", 9, measure=Measure.RHO)
    [line] = Ledger(keys.dataset, 100, measure=Measure.RHO).charge(stray, NOW)

    with pytest.raises(MeasurePinned) as refusal:
        model.restore([line])
    with pytest.raises(MeasurePinned) as theirs:
        await Rewriter(redis, keys).restore(1, [], [line])

    assert theirs.value.args == refusal.value.args
    assert await content(redis, keys) == before


async def test_a_ledger_that_changed_meanwhile_is_left_alone(redis, keys):
    """Its newest line would be lost."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 100)
    await ledger.charge(1, Charge("a", "group", 9))
    before = await content(redis, keys)

    with pytest.raises(Mismatch, match="changed meanwhile"):
        await Rewriter(redis, keys).restore(1, [], [])

    assert await content(redis, keys) == before


async def test_a_stale_operator_restores_nothing(redis, keys):
    """A curator took the lease after it had lapsed."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(2, 100)
    before = await content(redis, keys)

    with pytest.raises(Fenced):
        await Rewriter(redis, keys).restore(1, [], [])

    assert await content(redis, keys) == before
