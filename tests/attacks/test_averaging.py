"""Averaging: one question asked again and again, so that its noise cancels.

The attacker asks one set in many spellings, under many names and in many epochs, and
takes the mean. The attack is won when there is more than one answer to take a mean of
that nobody paid for. Deterministic, so there is no error rate; the last test shows
that the mean would find the truth if every answer had noise of its own.
"""

import itertools

import numpy as np
import pytest

from sigmacount.accounting import Renew
from sigmacount.mechanisms import DiscreteLaplace
from tests.fixtures.curator_steps import World, asking, group

pytestmark = [pytest.mark.redis, pytest.mark.attack]

SPELLINGS = [
    "sex = 'F' AND city <> 'Rome'",
    "city IN ('Oslo', 'Paris') AND sex = 'F'",
    "NOT (sex = 'M' OR city = 'Rome')",
    "(sex = 'F' AND city = 'Oslo') OR ('Paris' = city AND NOT sex = 'M')",
    "sex IN ('F', 'F') AND city NOT IN ('Rome') AND TRUE",
    "sex = 'F' AND (city = 'Oslo' AND job = 'cook' OR city = 'Paris' OR city = 'Oslo')",
]
CLIENTS = [f"client{number}" for number in range(20)]
PRICE = 20_000  # µε of a fresh question here


@pytest.fixture
async def world(redis, keys):
    """Two people, of whom one is asked about."""
    return await World.of_two(redis, keys)


async def answers(curator):
    """Every client asks in every spelling, all at once."""
    return await curator.ask(
        *(
            asking(curator.world.schema, where, client)
            for where, client in itertools.product(SPELLINGS, CLIENTS)
        )
    )


async def test_many_names_and_spellings_get_one_answer(world, figures):
    """One draw, one charge."""
    curator = await world.curator()
    await curator.tick()

    given = await answers(curator)

    assert {answer.status for answer in given} == {"ok"}
    assert len({(answer.count, answer.interval) for answer in given}) == 1
    assert await curator.spent() == PRICE
    figures(f"{len(given)} answers, 1 value, {PRICE} µε")


async def test_epochs_in_which_nothing_moved_add_nothing(world, figures):
    """Nor does a curator that is started anew."""
    shown = set()
    for _ in range(10):
        curator = await world.curator()
        await curator.tick()
        shown |= {(answer.count, answer.interval) for answer in await answers(curator)}

    assert len(shown) == 1
    figures(f"{10 * len(SPELLINGS) * len(CLIENTS)} answers in 10 lives, 1 value")


async def test_an_algebra_answers_alike_in_all_epochs(world):
    """The noise of an atom is drawn once, whoever else moves."""
    curator = await world.curator()
    table = group(world.schema, "sex", "city")
    seen = set()
    for epoch in range(10):
        await world.change(mover=("M", "Rome", ["cook", "nurse"][epoch % 2]))
        await curator.tick(table, version=1) if not epoch else await curator.tick()
        noise = (await curator.noise())[table.id]
        seen.add(noise.tobytes())

    assert len(seen) == 1


async def test_renewed_noise_is_paid_for_each_time(world, figures):
    """Under this rule a mean does help, at the price of every look."""
    curator = await world.curator(rule=Renew())
    looks = 10
    for epoch in range(looks):
        await world.change(mover=("M", "Rome", ["cook", "nurse"][epoch % 2]))
        await curator.tick()
        assert len({answer.count for answer in await answers(curator)}) == 1

    assert await curator.spent() == looks * PRICE
    figures(f"{looks} looks, {looks * PRICE} µε")


def test_a_mean_of_separate_draws_would_find_the_truth():
    """What the attack does to noise that is drawn for each answer.

    The mean of 10⁵ draws of ε = 0.02 has a standard deviation of 0.22: off by 2 or
    more with probability below 1e-15.
    """
    assert abs(np.mean(DiscreteLaplace.costing(PRICE).draw(100_000))) < 2
