"""One lot of questions about one set, of which some want a counter and some another."""

from __future__ import annotations

from itertools import permutations

import pytest

from sigmacount.mechanisms import Measure
from sigmacount.release import PROMISED, LazyNoise
from tests.fixtures.curator_steps import World, asking
from tests.fixtures.lazy_steps import ANY, FEMALE, PRICES, answer_to, terms_of

pytestmark = pytest.mark.redis

PRICE = PRICES[Measure.EPSILON]
LAST = PROMISED[Measure.EPSILON]
EXACT = LazyNoise(PRICE).told(LAST).quantile(1, 0.95)  # rows; until then and no longer
TIRED = {"error": EXACT}
PAYING = TIRED | {"max_cost": ANY}


@pytest.fixture
async def curator(redis, keys):
    """Whose usual counter of a set was told as often as it is so exact."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(**terms_of(Measure.EPSILON))
    for _ in range(LAST):
        await curator.tick()
        await answer_to(curator, error=EXACT)
    await curator.tick()
    return curator


async def lot(curator, *terms):
    """The answers to one lot of questions about the same set."""
    schema = curator.world.schema
    clients = (("ada", "bob")[at % 2] for at in range(len(terms)))
    return await curator.ask(
        *(asking(schema, FEMALE, c, **t) for c, t in zip(clients, terms, strict=True))
    )


@pytest.mark.parametrize("order", list(permutations(({}, TIRED))))
async def test_who_pays_for_no_other_counter_gets_none_of_it(curator, order):
    """Another question of the lot that is free draws nothing for who was refused."""
    spent = await curator.spent()

    answers = await lot(curator, *order)

    refused = {a.error.code if a.error else None: a for a in answers}
    assert set(refused) == {None, "above_max_cost"}
    assert refused[None].stderr > EXACT / 3
    assert await curator.spent() == spent


@pytest.mark.parametrize("order", list(permutations(({}, PAYING))))
async def test_who_pays_for_another_counter_is_answered_from_it(curator, order):
    """So exactly as it is wanted, whoever else asks for the same set in the lot."""
    spent = await curator.spent()

    answers = await lot(curator, *order)

    paying = answers[order.index(PAYING)]
    assert paying.interval[1] - paying.unbiased <= EXACT
    assert await curator.spent() == spent + PRICE.units
