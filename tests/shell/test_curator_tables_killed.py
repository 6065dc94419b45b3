"""Fresh tables of a curator that dies, and of the one that takes over."""

from __future__ import annotations

import pytest

from store.releases.noise_vault import NoiseVault
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World, asking, group
from tests.fixtures.table_steps import MORE, PRICE, at_work, rows, table_of, unit_of

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@pytest.mark.parametrize("act", ["charge", "draw", "store", "bind", "release"])
@pytest.mark.parametrize("side", ["before", "after"])
async def test_whenever_the_curator_dies_a_table_has_one_noise_paid_once(
    world, act, side
):
    """What its successor shows is what was drawn, and nothing uncharged was shown."""
    crash = CrashPoint(act, side, nth=99)
    first = await at_work(world, group(world.schema, "job"), crash=crash)
    await first.fresh.ahead.fill(50)
    crash.nth = crash.met + 1
    with pytest.raises(Crash):
        await table_of(first, "sex", "city")
    unit = unit_of(world, "sex", "city")
    before = await NoiseVault(world.redis, world.keys).get(unit, 0)
    stored = act in {"bind", "release"} or (act, side) == ("store", "after")
    assert (before is not None) is stored

    successor = await at_work(world)
    answer = await table_of(successor, "sex", "city", client="bob")

    after = await NoiseVault(world.redis, world.keys).get(unit, 0)
    assert before is None or before.tolist() == after.tolist()
    paid = [
        e.charge for e in await successor.ledger.entries() if "t-" in e.charge.charge_id
    ]
    assert [(line.charge_id, line.asked) for line in paid] == [
        (f"fresh:{unit}:0", PRICE)
    ]
    assert answer.status == "ok"


async def test_after_a_takeover_answers_keep_their_order_with_the_table(world):
    """Its rows are remembered; the epoch goes on, at no cost, over unmoved rows."""
    first = await at_work(world, group(world.schema, "job"))
    answer = await table_of(first, "sex", "city")

    successor = await world.curator(draw=Large)
    await successor.tick()
    again = await table_of(successor, "sex", "city")
    [larger] = await successor.ask(asking(world.schema, "sex = 'F'"))

    assert successor.epochs.head.epoch == first.epochs.head.epoch
    assert (rows(again), again.spent) == (rows(answer), None)
    assert larger.count >= max(
        count for (sex, _), count in rows(answer).items() if sex == "F"
    )


async def test_frozen_after_a_restart_a_table_of_this_epoch_is_still_told(world):
    """From its memo; another has nothing to be counted from."""
    curator = await at_work(world)
    known = await table_of(curator, "sex")
    await curator.released.freeze(world.tokens, 1, "budget_exhausted")
    await world.change(**MORE)
    successor = await world.curator(limit=PRICE)

    memo = await table_of(successor, "sex")
    unknown = await table_of(successor, "job")

    assert (rows(memo), memo.route) == (rows(known), "memo")
    assert (unknown.status, unknown.error.code) == ("refused", "release_frozen")
