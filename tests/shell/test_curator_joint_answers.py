"""What answers of a joint release say: one order, their own errors, all its prices."""

from __future__ import annotations

import pytest

from sigmacount.language import CountQuestion, parse
from sigmacount.release import TableArrangement
from sigmacount.sets import GroupedQuery
from streams.wire.messages.tables import Terms
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import World, asking
from tests.fixtures.joint_steps import (
    APART,
    TOGETHER,
    answer,
    begun,
    crowd,
    queries,
)
from workers.answering.served_epoch import EpochReader
from workers.answering.tables import answer_to

pytestmark = pytest.mark.redis

PRICE = 20_000  # of the two tables of a plan of family P


@pytest.fixture
async def world(redis, keys):
    """Forty people."""
    return await crowd(World.of(redis, keys))


async def test_an_answer_says_the_unbiased_estimate_and_the_price_of_all_units(world):
    """Whichever table it is read off; its guarantee is the whole plan's."""
    curator = await begun(world)
    joint = curator.epochs.plan.joint

    for where in TOGETHER:
        said = answer(curator, where)

        found = curator.epochs.source.serving.answerer.noisy_count(
            parse(world.schema, where)
        )
        assert (said.count, said.unbiased) == (found.count, found.noisy)
        assert (said.route, said.group) == ("algebra", joint.id)
        assert said.guarantee.micro_epsilon == PRICE
        assert said.interval[0] <= said.count <= said.interval[1]


async def test_an_accuracy_may_be_asked_of_a_joint_release(world):
    """The interval is then around the unbiased estimate, or it is not held."""
    curator = await begun(world)
    serving, query = curator.epochs.source.serving, parse(world.schema, TOGETHER[0])
    half = serving.answerer.noisy_count(query).estimate(0.9).half
    asked = CountQuestion(query, None, TableArrangement(()))

    enough = answer_to(serving, asked, Terms(error=half, confidence=0.9))
    lacking = answer_to(serving, asked, Terms(error=half - 1, confidence=0.9))

    assert enough.interval == (
        max(0, enough.unbiased - half),
        max(0, enough.unbiased + half),
    )
    assert lacking is None


async def test_a_group_by_is_answered_from_the_tables(world):
    """Its total is what the condition is answered alone, with its own error."""
    curator = await begun(world)
    serving, query = curator.epochs.source.serving, parse(world.schema, "sex = 'F'")
    grouped = GroupedQuery.of(query, ["city"])
    asked = CountQuestion(query, grouped, TableArrangement.of(world.schema, ["city"]))

    said = answer_to(serving, asked, Terms())

    alone = serving.answer(query)
    assert (said.count, said.unbiased, said.interval, said.group) == (
        alone.count,
        alone.unbiased,
        alone.interval,
        alone.group,
    )
    assert said.guarantee == alone.guarantee
    assert len(said.table.rows) == 3


async def test_fresh_answers_stand_in_one_order_with_the_tables(world):
    """However far their noise is off."""
    curator = await begun(world, draw=Large)
    [fresh] = await curator.ask(asking(world.schema, APART))

    outer = [answer(curator, where) for where in ("sex = 'F'", "job = 'cook'")]

    assert fresh.route == "fresh"
    assert fresh.count <= min(each.count for each in outer)
    assert await curator.spent() == PRICE + 20_000


async def test_two_responders_say_the_same(world):
    """Each reads the epoch by itself, in any order of questions."""
    curator = await begun(world)
    head, asked = await curator.released.head(), queries(world.schema)

    one, two = [
        await EpochReader(curator.released, world.schema, 0.95).read(head)
        for _ in range(2)
    ]

    said = [one.answer(query) for query in asked]
    assert [two.answer(query) for query in reversed(asked)] == said[::-1]
    assert None not in said
