"""Questions that were paid before a crash: what their answer then says they cost."""

from __future__ import annotations

import msgspec
import pytest

from store.server.clock import now_ms
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World, asking

pytestmark = pytest.mark.redis

PRICE = 20_000
FEMALE = "sex = 'F'"


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, crash):
    """A curator with an epoch to answer from."""
    curator = await world.curator(draw=Large, crash=crash)
    await curator.tick()
    return curator


async def said(curator, *clients, **terms):
    """One batch of one question by these clients, its answers."""
    schema = curator.world.schema
    return await curator.ask(*(asking(schema, FEMALE, who, **terms) for who in clients))


async def test_who_paid_before_the_answer_was_lost_is_told_what_it_cost(world):
    """The question is read again: charged once, and not told as if it were free."""
    crash = CrashPoint("release", "before", nth=2)  # the epoch comes before the memo
    curator = await at_work(world, crash)
    with pytest.raises(Crash):
        await said(curator, "ada")

    mine, other = await said(curator, "ada", "bob")

    assert (mine.route, mine.spent_micro_epsilon) == ("fresh", PRICE)
    assert (other.route, other.spent_micro_epsilon) == ("memo", 0)
    assert await curator.spent() == PRICE


async def test_who_asks_anew_after_it_was_paid_is_told_what_the_price_said(world):
    """Nobody heard the first answer; this question adds nothing, and may cost 0."""
    crash = CrashPoint("charge", "after", nth=2)  # the epoch comes before the question
    curator = await at_work(world, crash)
    with pytest.raises(Crash):
        await said(curator, "ada")
    later = now_ms() + 1
    terms = {"price": True}, {"max_cost": 0}
    asked = [asking(world.schema, FEMALE, **each) for each in terms]

    [price], [told] = [
        await curator.ask(msgspec.structs.replace(each, asked_ms=later))
        for each in asked
    ]

    assert price.quote.cost == 0
    assert (told.status, told.spent) == ("ok", None)
    assert await curator.spent() == PRICE
