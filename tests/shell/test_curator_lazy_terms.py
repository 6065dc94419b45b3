"""On which terms a question is counted for ever, asked once, or as exact as wanted."""

from __future__ import annotations

import math

import pytest

from sigmacount.accounting import Era, Renew
from sigmacount.language import parse
from sigmacount.mechanisms import Measure, cheapest, noise_costing
from sigmacount.release import PROMISED, LazyNoise
from store.ledger.ledger import RedisLedger
from streams.wire.messages.tables import Terms
from tests.fixtures.curator_steps import World, asking
from tests.fixtures.lazy_steps import (
    ANY,
    FEMALE,
    PRICES,
    WIDE,
    answer_to,
    terms_of,
)
from workers.answering.known import read_memo, recalled

pytestmark = pytest.mark.redis

MEASURES = pytest.mark.parametrize("measure", list(Measure))


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@MEASURES
async def test_once_is_less_noise_for_the_price_and_paid_in_each_epoch(world, measure):
    """It has a name of its own: no counter knows of it, nor it of one."""
    curator = await world.curator(**terms_of(measure))
    spent = []
    for _ in range(2):
        await curator.tick()
        once = await answer_to(curator, repeat=False)
        again = await answer_to(curator, "bob", repeat=False)
        spent.append((once.spent.units, again.spent))
    await curator.tick()
    other = await answer_to(curator)

    price = PRICES[measure]
    assert spent == [(price.units, None)] * 2
    assert once.stderr == math.sqrt(noise_costing(price).variance)
    assert (once.guarantee.rule, once.guarantee.horizon) == ("continual", 1)
    assert other.spent.units == price.units
    assert await curator.spent() == 3 * price.units


@MEASURES
async def test_an_accuracy_holds_for_as_many_epochs_as_it_is_promised(world, measure):
    """Then another such counter is bought; between two of them nothing is paid."""
    curator, last = await world.curator(**terms_of(measure)), PROMISED[measure]
    cost = LazyNoise.reaching(40, 0.95, measure, last).price.units
    spent = []
    for _ in range(last + 2):
        await curator.tick()
        answer = await answer_to(curator, error=40, max_cost=ANY)
        assert answer.interval[1] - answer.unbiased <= 40
        spent.append(answer.spent.units if answer.spent else 0)

    assert spent == [cost] + [0] * (last - 1) + [cost, 0]


async def test_so_exact_as_no_counter_is_it_is_asked_once(world):
    """Below a row or two ticks, which are whole rows, cannot be that exact."""
    curator = await world.curator(**terms_of(Measure.RHO))
    await curator.tick()

    answer = await answer_to(curator, error=0.5, max_cost=ANY)

    assert answer.spent.units == cheapest(0.5, 0.95, Measure.RHO).price.units
    assert answer.guarantee.horizon == 1


@MEASURES
async def test_other_rules_know_of_no_counter(world, measure):
    """``repeat`` means nothing where every epoch pays, or none protects."""
    terms = terms_of(measure)
    terms["rule"] = Renew(delta=terms["rule"].delta)
    curator = await world.curator(**terms)
    await curator.tick()

    first, second = await answer_to(curator), await answer_to(curator, repeat=False)

    assert (first.unbiased, second.route) == (second.unbiased, "memo")


@MEASURES
async def test_a_responder_says_the_same_of_the_memo(world, measure):
    """The memo notes price and telling: all that an interval depends on."""
    curator = await world.curator(**terms_of(measure))
    for _ in range(3):
        await curator.tick()
        answer = await answer_to(curator)
    [memo] = await curator.released.memos(
        answer.epoch, [parse(world.schema, FEMALE).key]
    )

    told = recalled(memo, Terms(error=WIDE, confidence=0.5), 0.95)

    half = LazyNoise(PRICES[measure]).told(3).quantile(1, 0.5)
    assert read_memo(memo).tick == 3
    assert told.interval == (answer.unbiased - half, answer.unbiased + half)
    assert recalled(memo, Terms(error=half - 1, confidence=0.5), 0.95) is None


async def test_what_goes_on_and_what_is_asked_once_are_charged_apart(world):
    """Of one batch, in any order; each at its own price and width."""
    curator = await world.curator(**terms_of(Measure.RHO))
    await curator.tick()
    usual, price = {"error": WIDE, "max_cost": ANY}, PRICES[Measure.RHO]

    answers = await curator.ask(
        *(
            asking(world.schema, where, repeat=repeat, **usual)
            for where in (FEMALE, "city = 'Oslo'")
            for repeat in (False, True)
        )
    )

    once, lazy = (
        math.sqrt(law.variance)
        for law in (noise_costing(price), LazyNoise(price).told(1))
    )
    # The finer is remembered: who asks for the usual after it has it for nothing.
    assert [answer.stderr for answer in answers] == [once, once, once, once]
    assert await curator.spent() == 2 * price.units
    lazily = await curator.ask(
        asking(world.schema, "job = 'cook'", **usual),
        asking(world.schema, "job = 'cook' AND sex = 'M'", repeat=False, **usual),
    )
    assert [answer.stderr for answer in lazily] == [lazy, once]
    assert await curator.spent() == 4 * price.units


@pytest.mark.parametrize("repeat", [True, False])
async def test_what_is_counted_as_lost_is_said_of_either_kind(world, repeat):
    """A promise of all changes would be of those, too, that were shown before."""
    ledger, world.tokens = RedisLedger(world.redis, world.keys), 1
    await ledger.open(1, 10**13, {}, None, Measure.RHO)
    await ledger.note(1, Era("continual", 9, counted_from=9).charge)
    curator = await world.curator(**terms_of(Measure.RHO))
    await curator.tick()

    answer = await answer_to(curator, repeat=repeat)

    assert answer.guarantee.counted_from == 9
