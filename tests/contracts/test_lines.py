"""The ledger's lines under a handle that knows them: they grow, or are refused."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Charge
from sigmacount.errors import StoreWentBack
from store.keys import LEDGER, LEDGER_CLIENTS, LEDGER_ENTRIES, LEDGER_SEEN
from store.ledger.ledger import RedisLedger

pytestmark = pytest.mark.redis

GONE = {
    "everything": lambda redis, keys: redis.delete(
        keys.of(LEDGER_ENTRIES), keys.of(LEDGER)
    ),
    "the lines": lambda redis, keys: redis.delete(keys.of(LEDGER_ENTRIES)),
    "the totals": lambda redis, keys: redis.delete(keys.of(LEDGER)),
    "the last line": lambda redis, keys: redis.rpop(keys.of(LEDGER_ENTRIES)),
}


@pytest.mark.parametrize("lose", GONE.values(), ids=GONE.keys())
async def test_a_handle_that_knows_more_than_the_store_charges_nothing(
    redis, keys, lose
):
    """Under its feet the store went back."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 100)
    await ledger.charge_many(1, [Charge(i, "group", 9) for i in "ab"])

    await lose(redis, keys)

    with pytest.raises(StoreWentBack):
        await ledger.lines.follow()
    if await redis.exists(keys.of(LEDGER)):  # else charge.lua grants nothing anyway
        with pytest.raises(StoreWentBack):
            await RedisLedger(redis, keys).open(1, 100)


async def test_a_line_that_is_not_chained_to_the_known_one_is_not_adopted(redis, keys):
    """An older copy of the store that grew another way has another head."""
    old = RedisLedger(redis, keys)
    await old.open(1, 100)
    await old.charge(1, Charge("a", "group", 9))
    await redis.delete(*[k async for k in redis.scan_iter(keys.everything())])
    other = RedisLedger(redis, keys)
    await other.open(1, 100)
    await other.charge_many(1, [Charge(i, "group", 8) for i in "ab"])

    with pytest.raises(StoreWentBack, match="line 1 of its ledger is gone"):
        await old.charge(1, Charge("c", "group", 9))

    assert [e.charge.charge_id for e in await other.entries()] == ["a", "b"]


PARTS = {
    "ids": lambda redis, keys: redis.delete(keys.of(LEDGER_SEEN)),
    "one id": lambda redis, keys: redis.hdel(keys.of(LEDGER_SEEN), "a"),
    "quotas": lambda redis, keys: redis.delete(keys.of(LEDGER_CLIENTS)),
    "one quota": lambda redis, keys: redis.hset(keys.of(LEDGER_CLIENTS), "ada", 1),
    "spent": lambda redis, keys: redis.hset(keys.of(LEDGER), "spent", 1),
    "a purpose": lambda redis, keys: redis.hset(keys.of(LEDGER), "spent:fresh", 1),
    "shown again": lambda redis, keys: redis.hset(keys.of(LEDGER), "repeated", 1),
    "limits": lambda redis, keys: redis.hdel(keys.of(LEDGER), "limit"),
    "a text": lambda redis, keys: redis.lset(keys.of(LEDGER_ENTRIES), 0, "{"),
}


@pytest.mark.parametrize("change", PARTS.values(), ids=PARTS.keys())
async def test_a_part_that_does_not_fit_the_lines_is_noticed(redis, keys, change):
    """A quota that was lost would be granted a second time."""
    ledger = RedisLedger(redis, keys)
    await ledger.open(1, 100, {"fresh": 50}, 30)
    await ledger.charge(1, Charge("a", "fresh", 9, "ada"))
    await ledger.charge(1, Charge("e", "epoch", 2, repeats=5))
    sound = await ledger.verify()

    await change(redis, keys)

    assert (sound, await ledger.verify()) == (True, False)


async def test_a_line_behind_one_that_was_not_seen_is_not_seen_either(redis, keys):
    """Two handles at one millisecond: the second repeats a line, and adds its own."""
    first, second = (RedisLedger(redis, keys, clock=lambda: 7) for _ in range(2))
    await first.open(1, 100)
    await first.charge(1, Charge("a", "group", 1))

    await second.charge_many(1, [Charge("a", "group", 1), Charge("b", "group", 1)])
    await second.charge(1, Charge("c", "group", 1))

    assert len(await second.lines.follow(0)) == 3
    assert second.lines.length == 3
