"""Double spending: what is left for one act is asked for by many, all at once.

Fifty connections, or two curators of which one does not know yet that it was followed.
The attack is won when the ledger grants more than its limit, when one question has two
noises, or when a curator that was followed still tells something new. Deterministic in
its criterion, so there is no error rate; how the acts interleave differs each time.
"""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from sigmacount.accounting import Charge
from sigmacount.errors import BudgetExhausted, Fenced
from store import connect
from store.keys import NOISE_UNIT, Keys
from store.ledger.ledger import RedisLedger
from store.ledger.outcomes import Granted
from store.server.arrays import unpack
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import World, asking

pytestmark = [pytest.mark.redis, pytest.mark.attack]

AT_ONCE, PRICE, ROUNDS = 50, 20_000, 10
QUESTIONS = ("sex = 'F'", "city = 'Oslo'", "job = 'cook'", "sex = 'M' OR city = 'Rome'")


@pytest.fixture
async def ledgers(redis, redis_server, keys):
    """Fifty handles on one ledger, each with a connection of its own."""
    await RedisLedger(redis, keys).open(1, 100 * PRICE)
    clients = [connect(redis_server.url) for _ in range(AT_ONCE)]
    yield [RedisLedger(client, keys) for client in clients]
    for client in clients:
        await client.aclose()


async def at_once(ledgers, **limits):
    """Everybody charges for something else; how many were granted."""
    await ledgers[0].open(1, **{"limit": 100 * PRICE, **limits})
    charges = [Charge(f"fresh:q{n}:0", "fresh", PRICE, "eve") for n in range(AT_ONCE)]
    acts = zip(ledgers, charges, strict=True)
    outcomes = await asyncio.gather(
        *(ledger.charge_many(1, [charge]) for ledger, charge in acts)
    )
    flat = [outcome for [outcome] in outcomes]
    assert all(isinstance(o, Granted | BudgetExhausted) for o in flat)
    return sum(isinstance(outcome, Granted) for outcome in flat)


@pytest.mark.parametrize(
    "limits",
    [
        {"limit": 2 * PRICE - 1},
        {"caps": {"fresh": 2 * PRICE - 1}},
        {"client_quota": 2 * PRICE - 1},
    ],
    ids=["dataset", "fresh", "client"],
)
async def test_what_is_left_for_one_is_granted_to_one(ledgers, limits, figures):
    """By each of the three limits; and the chain is whole."""
    granted = await at_once(ledgers, **limits)

    totals = await ledgers[0].totals()
    assert (granted, totals.spent) == (1, PRICE)
    assert await ledgers[0].verify()
    figures(f"{AT_ONCE} at once for what is left for 1, {granted} granted")


async def test_one_act_that_fifty_repeat_is_paid_once(ledgers, figures):
    """Everybody is told that it is paid."""
    charge = Charge("fresh:q:0", "fresh", PRICE, "eve")

    outcomes = await asyncio.gather(*(each.charge(1, charge) for each in ledgers))

    totals = await ledgers[0].totals()
    assert sum(not outcome.again for outcome in outcomes) == 1
    assert totals.spent == PRICE
    figures(f"1 act {AT_ONCE} times at once, {totals.spent} µε")


async def noises(world):
    """The noise of every fresh question."""
    found = [
        key
        async for key in world.redis.scan_iter(
            world.keys.of(NOISE_UNIT, unit="q-*", gen="*")
        )
    ]
    return [int(unpack(await world.redis.hget(key, "array"))[0]) for key in found]


async def one_by_one(curator, follow, after):
    """What the old curator tells until it notices; it is followed after some of it."""
    given = []
    with contextlib.suppress(Fenced):
        for where in QUESTIONS:
            if len(given) == after:
                follow.set()
            [answer] = await curator.ask(asking(curator.world.schema, where, "eve"))
            given.append((where, answer))
    return given


async def followed(world, old, after):
    """Another curator takes over while the old one answers; what both told."""
    follow = asyncio.Event()

    async def succeed():
        await follow.wait()
        new = await world.curator(draw=Large)
        await new.tick()
        batch = [asking(world.schema, where, "eve") for where in QUESTIONS]
        return new, await new.ask(*batch)

    given, (new, answers) = await asyncio.gather(
        one_by_one(old, follow, after), succeed()
    )
    with pytest.raises(Fenced):
        await old.ask(asking(world.schema, "sex = 'F' AND city = 'Rome'", "eve"))
    return new, [*given, *zip(QUESTIONS, answers, strict=True)]


async def test_two_curators_never_spend_for_one_question_twice(
    redis, keys, figures, times
):
    """Whoever gets there first: one charge, one noise, one answer."""
    given = 0
    for game in range(ROUNDS * times):
        world = await World.of_two(redis, Keys(f"{keys.dataset}-{game}"))
        old = await world.curator(draw=Large)
        await old.tick()

        new, answers = await followed(world, old, game % len(QUESTIONS))

        shown = {(asked, a.count - world.count(asked)) for asked, a in answers}
        assert {answer.status for _, answer in answers} == {"ok"}
        assert sorted(noise for _, noise in shown) == sorted(await noises(world))
        assert await new.spent() == len(QUESTIONS) * PRICE
        assert await new.ledger.verify()
        given += len(answers)
    figures(f"{ROUNDS * times} takeovers, {given} answers, each question paid once")
