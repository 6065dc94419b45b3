"""Fresh questions that are charged once, and told again with noise that goes on."""

from __future__ import annotations

import math

import pytest

from sigmacount.continual import Counters
from sigmacount.mechanisms import Measure
from sigmacount.release import PROMISED, LazyNoise
from tests.fixtures.curator_steps import World
from tests.fixtures.lazy_steps import (
    FEMALE,
    PRICES,
    WIDE,
    Rising,
    Steady,
    answer_to,
    counter_of,
    terms_of,
)

pytestmark = pytest.mark.redis

MEASURES = pytest.mark.parametrize("measure", list(Measure))


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


def expected(measure, tellings):
    """Noise of one number after each telling, whose draws are always the same."""
    noise = LazyNoise(PRICES[measure])
    counters, found = Counters.new(noise.horizon, 1), []
    for _ in range(tellings):
        drawn = Steady(noise.ticks).draw(1)
        counters = counters.absorb(noise.moved(counters, drawn))
        found.append(int(counters.noise[0]))
    return found


@MEASURES
async def test_it_is_charged_once_and_told_in_every_epoch(world, measure):
    """For one price; the noise of the nth telling is that of n ticks."""
    curator = await world.curator(**terms_of(measure))
    noises, spent = [], []
    for _ in range(5):
        await curator.tick()
        answer = await answer_to(curator)
        noises.append(answer.unbiased - world.count(FEMALE))
        spent.append(answer.spent and answer.spent.units)

    assert noises == expected(measure, 5)
    assert spent == [PRICES[measure].units, None, None, None, None]
    promise = answer.guarantee
    assert (promise.rule, promise.horizon) == ("continual", PROMISED[measure])
    assert (promise.epochs, promise.overlap) == (5, 0)
    assert await curator.spent() == PRICES[measure].units
    assert await curator.ledger.verify()


@MEASURES
async def test_an_epoch_without_a_question_is_no_tick(world, measure):
    """However long nobody asks, the next telling is the next tick."""
    curator = await world.curator(**terms_of(measure))
    noises = []
    for epoch in range(1, 7):
        await curator.tick()
        if epoch in (1, 4, 6):
            noises.append((await answer_to(curator)).unbiased - world.count(FEMALE))

    assert noises == expected(measure, 3)


@MEASURES
async def test_asked_again_in_an_epoch_it_is_the_same(world, measure):
    """For anybody: from the memo, and from the tick where the memo is lost."""
    curator = await world.curator(**terms_of(measure))
    await curator.tick()
    first = await answer_to(curator)
    again = await answer_to(curator, "bob")
    await world.redis.delete(*[k async for k in world.redis.scan_iter("*memo*")])

    lost = await answer_to(curator, "bob")

    assert first.unbiased == again.unbiased == lost.unbiased
    assert again.spent is lost.spent is None
    assert await curator.spent() == PRICES[measure].units


@MEASURES
@pytest.mark.parametrize("tick", [1, 2, 5])
async def test_the_interval_is_as_wide_as_the_noise_is_by_then(world, measure, tick):
    """As a quote says before, the answer, and its memo at another confidence."""
    curator, noise = (
        await world.curator(**terms_of(measure)),
        LazyNoise(PRICES[measure]),
    )
    for _ in range(tick):
        await curator.tick()
        quote = (await answer_to(curator, price=True)).quote
        answer = await answer_to(curator)
    sure = await answer_to(curator, confidence=0.999, error=WIDE)

    told = noise.told(tick)
    assert quote.cost == (PRICES[measure].units if tick == 1 else 0)
    assert quote.stderr == answer.stderr == math.sqrt(told.variance)
    half = told.quantile(1, 0.95)
    assert quote.error == half
    assert answer.interval == (answer.unbiased - half, answer.unbiased + half)
    assert sure.interval[1] - sure.unbiased == told.quantile(1, 0.999)
    assert (sure.unbiased, sure.route) == (answer.unbiased, "memo")


@MEASURES
async def test_noise_goes_on_over_takeovers_and_folds(world, measure):
    """Bit for bit; after 64 ticks a state stands for those before."""
    curator, noises = await world.curator(**terms_of(measure)), []
    for tick in range(1, 71):
        if tick in (3, 64, 65, 66):
            curator = await world.curator(**terms_of(measure))
        await curator.tick()
        noises.append((await answer_to(curator)).unbiased - world.count(FEMALE))

    held = await world.redis.hgetall(counter_of(world, measure))
    assert noises == expected(measure, 70)
    assert (held[b"t0"], held[b"t"]) == (b"64", b"70")
    assert await curator.spent() == PRICES[measure].units


@MEASURES
async def test_a_table_has_a_counter_for_each_cell(world, measure):
    """Charged once; every row moves on with noise of its own."""
    curator = await world.curator(**terms_of(measure, draw=Rising))
    rows = []
    for _ in range(3):
        await curator.tick()
        answer = await answer_to(curator, by=("city",))
        rows += [row.count for row in answer.table.rows]

    assert len(set(rows)) == 9
    assert await curator.spent() == PRICES[measure].units
    told = LazyNoise(PRICES[measure]).told(3)
    assert answer.table.rows[0].stderr == math.sqrt(told.variance)


@MEASURES
async def test_a_refused_question_does_not_tick(world, measure):
    """Neither drawn nor stored; and one that is told only its price."""
    curator = await world.curator(**terms_of(measure, quota=PRICES[measure].units - 1))
    await curator.tick()

    refused = await answer_to(curator)
    await answer_to(curator, price=True)

    assert refused.error.code == "budget_exhausted"
    assert not await world.redis.exists(counter_of(world, measure))
    assert await curator.spent() == 0
