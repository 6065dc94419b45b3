"""Asking for prices: spends nothing, keeps nothing, and tells nothing about rows.

Two worlds that differ by one row, or by all, with the same history of questions: the
quotes are equal, word for word. Deterministic; no error rate. A price that looked at
rows, such as one that is lower for an empty set, is told by any of the games.
"""

import asyncio

import msgspec
import pytest

from sigmacount.accounting import FixedNoise, Renew
from store.keys import Keys
from tests.fixtures.curator_steps import World, asking, group
from tests.fixtures.table_steps import table

pytestmark = [pytest.mark.redis, pytest.mark.attack]

HOSTILE = (
    {"error": 1e-9},
    {"error": 1e308},
    {"error": 30, "confidence": 5e-324},
    {"error": 30, "confidence": 1 - 2**-53},
    {"confidence": 1 - 2**-53},
    {"max_cost": 2**63 - 1},
    {"max_cost": 0},
)
WHERE = ("sex = 'F'", "city = 'Oslo'", "sex = 'F' AND city = 'Rome' AND job = 'cook'")
ROWS = [
    {},
    {"ada": ("F", "Oslo", "cook")},
    {f"n{n}": ("F", "Rome", "cook") for n in range(40)},
]


def questions(schema, client):
    """Prices of everything, by everybody."""
    return [
        asking(schema, where, client, price=True, **terms)
        for where in WHERE
        for terms in ({}, *HOSTILE)
    ]


async def quotes(redis, keys, rule, rows):
    """What a world says of all prices, before and after an epoch that was asked."""
    world = World(redis, keys, World.of(redis, Keys("two")).schema)
    await world.change(bob=("M", "Oslo", "nurse"), **rows)
    curator = await world.curator(rule=rule, quota=60_000)
    await curator.tick(group(world.schema, "job"), version=1)
    said = []
    for _ in range(2):
        asked = [*questions(world.schema, "eve"), *questions(world.schema, "ada")]
        asked.append(table(world, ["sex", "city", "job"], client="eve", price=True))
        said += [each.quote for each in await curator.ask(*asked)]
        await curator.ask(asking(world.schema, WHERE[0], "ada"))
        await world.change(zoe=("F", "Paris", "cook"))
        await curator.tick()
    return [msgspec.json.encode(quote) for quote in said]


@pytest.mark.parametrize("rule", [FixedNoise(0.1), Renew()], ids=lambda r: r.name)
async def test_prices_are_the_same_whatever_the_rows_are(redis, keys, rule):
    """Nobody, one person more, a crowd."""
    worlds = [
        await quotes(redis, Keys(f"{keys.dataset}-{n}"), rule, rows)
        for n, rows in enumerate(ROWS)
    ]

    assert b"null" not in worlds[0]
    assert worlds[0] == worlds[1] == worlds[2]


async def test_a_flood_of_prices_leaves_the_store_as_it_was(redis, keys):
    """Hundreds of them, of sets and of tables, in one name and in many."""
    world = await World.of_two(redis, keys)
    curator = await world.curator()
    await curator.tick()
    before = await dumped(world)
    flood = [each for n in range(20) for each in questions(world.schema, f"client{n}")]

    answers = await asyncio.wait_for(curator.ask(*flood), 30)

    assert {answer.status for answer in answers} == {"ok"}
    assert await dumped(world) == before
    assert not curator.epochs.source.answered._queries  # noqa: SLF001 - no place taken


async def dumped(world):
    """All that is in the store."""
    found = [key async for key in world.redis.scan_iter(f"*{world.keys.dataset}*")]
    return {key: await world.redis.dump(key) for key in found}


async def test_a_price_tells_what_its_own_client_has_left(redis, keys):
    """Never what another has."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(quota=60_000)
    await curator.tick()
    await curator.ask(asking(world.schema, WHERE[0], "ada"))

    eve, ada = await curator.ask(
        asking(world.schema, WHERE[1], "eve", price=True),
        asking(world.schema, WHERE[1], "ada", price=True),
    )

    assert (eve.quote.client_left, ada.quote.client_left) == (60_000, 40_000)
