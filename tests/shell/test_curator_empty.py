"""The empty set: 0, exactly, for nothing; the whole domain costs like any other."""

from __future__ import annotations

import pytest

from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import World, asking

pytestmark = pytest.mark.redis

PRICE = 20_000


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, **terms):
    """A curator with an epoch to answer from."""
    curator = await world.curator(draw=Large, **terms)
    await curator.tick()
    return curator


async def answer_to(curator, where):
    """One question, its answer."""
    [answer] = await curator.ask(asking(curator.world.schema, where))
    return answer


NOTHING = ("sex = 'F' AND sex = 'M'", "NOT (city = 'Oslo' OR city <> 'Oslo')", "1 = 0")


@pytest.mark.parametrize("where", NOTHING)
async def test_the_empty_set_is_nothing_and_costs_nothing(world, where):
    """A responder of an older version passed it on: no charge, no noise, no memo."""
    curator = await at_work(world, fresh_budget=0)

    answer = await answer_to(curator, where)

    assert (answer.status, answer.count, answer.interval) == ("ok", 0, (0, 0))
    assert (answer.stderr, answer.spent_micro_epsilon) == (0.0, 0)
    assert answer.guarantee.micro_epsilon == 0
    assert await curator.spent() == 0
    assert not [
        key async for key in world.redis.scan_iter(f"*{world.keys.dataset}*q-*")
    ]


async def test_the_empty_set_is_nothing_also_when_frozen(world):
    """The snapshot of the epoch is gone, and was never needed for it."""
    await at_work(world)
    successor = await world.curator()

    answer = await answer_to(successor, NOTHING[0])

    assert (answer.status, answer.count) == ("ok", 0)


async def test_every_row_costs_like_any_other_question(world):
    """The number of all rows is a count as any."""
    curator = await at_work(world)

    answer = await answer_to(curator, "sex = 'F' OR sex = 'M'")

    assert answer.spent_micro_epsilon == await curator.spent() == PRICE
