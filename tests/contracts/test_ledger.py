"""charge.lua and ledger_open.lua beside ``sigmacount.models.ledger.Ledger``."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge
from sigmacount.errors import (
    BudgetExhausted,
    Fenced,
    MeasurePinned,
    StoreWentBack,
)
from sigmacount.models.ledger import Ledger
from store.keys import LEDGER_ENTRIES, Keys
from store.ledger.ledger import RedisLedger
from tests.contracts.ledgers import (
    SHARED,
    at_noon,
    charges,
    expect,
    in_measure,
    opened,
    remembered,
    said,
    state,
)

pytestmark = pytest.mark.redis


@given(rules=opened, wishes=st.lists(charges, min_size=4, max_size=15))
@SHARED
async def test_it_agrees_with_the_pure_ledger(redis, rules, wishes):
    """Same wishes, same order: same grants, same refusals, same µε left, same lines."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    shared, ledger = at_noon(redis, keys), Ledger(keys.dataset, *rules)
    await shared.open(1, *rules)
    for wish in in_measure(wishes, rules):
        expected, ledger = expect(ledger, wish)
        [outcome] = await shared.charge_many(1, [wish])
        assert said(outcome) == expected
    assert await state(shared) == remembered(ledger)
    assert await shared.verify()


@given(
    rules=opened,
    batches=st.lists(st.lists(charges, max_size=8), min_size=2, max_size=4),
)
@SHARED
async def test_many_at_once_are_as_one_after_the_other(redis, rules, batches):
    """Two curators' handles take turns, so each finds the chain moved by the other."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    handles = [at_noon(redis, keys), at_noon(redis, keys)]
    ledger = Ledger(keys.dataset, *rules)
    await handles[0].open(1, *rules)
    for turn, batch in enumerate(batches):
        wishes, expected = in_measure(batch, rules), []
        for wish in wishes:
            reply, ledger = expect(ledger, wish)
            expected.append(reply)
        outcomes = await handles[turn % 2].charge_many(1, wishes)
        assert [said(outcome) for outcome in outcomes] == expected
    assert await state(handles[0]) == remembered(ledger)


@given(first=opened, second=opened, wishes=st.lists(charges, max_size=6))
@SHARED
async def test_opening_again_sets_limits_and_keeps_what_was_spent(
    redis, first, second, wishes
):
    """The operator's newest limits hold; no line is lost."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    shared, ledger = at_noon(redis, keys), Ledger(keys.dataset, *first)
    await shared.open(1, *first)
    wishes = in_measure(wishes, first)
    outcomes = await shared.charge_many(1, wishes)
    for wish in wishes:
        ledger = expect(ledger, wish)[1]

    if first[3] is second[3]:
        ledger = ledger.opened(*second)
        await at_noon(redis, keys).open(1, *second)
    else:
        with pytest.raises(MeasurePinned) as refusal:
            ledger.opened(*second)
        with pytest.raises(MeasurePinned) as theirs:
            await at_noon(redis, keys).open(1, *second)
        assert theirs.value.args == refusal.value.args

    assert await state(shared) == remembered(ledger)
    assert len(outcomes) == len(wishes)


async def test_a_stale_curator_neither_opens_nor_charges(redis, keys):
    """The fence of the ledger is the newest token it has seen."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 100)
    await ledger.fence.advance(2)

    with pytest.raises(Fenced):
        await ledger.charge(1, Charge("a", "group", 1))
    with pytest.raises(Fenced):
        await ledger.open(1, 200)

    assert (await ledger.totals()).limit == 100
    assert not await ledger.entries()


async def test_a_ledger_without_limits_grants_nothing(redis, keys):
    """No limit is not an endless one."""
    ledger = RedisLedger(redis, keys)

    with pytest.raises(StoreWentBack, match="no limits"):
        await ledger.charge(1, Charge("a", "group", 1))

    assert await ledger.totals() is None


async def test_a_single_charge_raises_what_refuses_it(redis, keys):
    """``charge`` raises where ``charge_many`` returns."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 10)
    await ledger.charge(1, Charge("a", "group", 7))

    with pytest.raises(BudgetExhausted) as refusal:
        await ledger.charge(1, Charge("b", "group", 7))

    assert refusal.value.left == 3


async def test_a_changed_line_is_noticed(redis, keys):
    """The chain vouches for every line, the totals for the last."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 100)
    await ledger.charge_many(1, [Charge(i, "group", 9) for i in "ab"])
    sound = await ledger.verify()
    line = await redis.lindex(keys.of(LEDGER_ENTRIES), 0)

    await redis.lset(keys.of(LEDGER_ENTRIES), 0, line.replace(b"9", b"8", 1))

    assert (sound, await ledger.verify()) == (True, False)


@given(
    rules=opened,
    wishes=st.lists(charges, max_size=10),
    wanted=st.lists(charges, min_size=1, max_size=6),
)
@SHARED
async def test_its_headroom_is_what_it_would_grant(redis, rules, wishes, wanted):
    """Each wish alone: granted or refused as foreseen, unless it was paid for."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    shared, ledger = RedisLedger(redis, keys), Ledger(keys.dataset, *rules)
    await shared.open(1, *rules)
    wishes, wanted = in_measure(wishes, rules), in_measure(wanted, rules)
    await shared.charge_many(1, wishes)
    for wish in wishes:
        ledger = expect(ledger, wish)[1]
    for wish in wanted:
        clients = [] if wish.client is None else [wish.client]

        room = await shared.headroom(wish.purpose, clients, [wish.charge_id])

        paid = ledger.entry(wish.charge_id) is not None
        assert (wish.charge_id in room.granted) is paid
        assert (room.repeated, room.surcharged) == (ledger.repeated, ledger.surcharged)
        refused = expect(ledger, wish)[0][0] is BudgetExhausted
        assert paid or room.grants(wish) is not refused


async def test_a_note_is_taken_where_nothing_is_left(redis, keys):
    """It costs nothing, whatever the operator has lowered the limit to."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 10, {"rule": 0})
    await ledger.charge(1, Charge("a", "group", 7))
    await ledger.open(1, 5, {"rule": 0})

    await ledger.note(1, Charge("rule:renew:2", "rule", 0))

    assert (await ledger.totals()).left == -2
    assert [each.charge.purpose for each in await ledger.entries()] == ["group", "rule"]
