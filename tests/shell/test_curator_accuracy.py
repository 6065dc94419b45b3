"""Accuracy: the least that reaches it is paid, and what is that exact is free."""

from __future__ import annotations

import pytest

from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace, cheapest
from sigmacount.release import IndependentAlgebras, Plan
from streams.wire.messages.events import QueryAsked
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World, asking, group
from workers.answering.known import answer_on, recalled
from workers.answering.served_epoch import ServedEpoch

pytestmark = pytest.mark.redis

PRICE = 20_000
FEMALE = "sex = 'F'"
USUAL = DiscreteLaplace.costing(PRICE).quantile(1, 0.95)
ANY = 10**9


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@pytest.fixture
async def curator(world):
    """One with an epoch to answer from."""
    curator = await world.curator(draw=Large)
    await curator.tick()
    return curator


async def answer_to(curator, where=FEMALE, client="ada", **terms):
    """One question, its answer."""
    [answer] = await curator.ask(asking(curator.world.schema, where, client, **terms))
    return answer


async def test_an_accuracy_without_a_limit_is_told_its_price(curator):
    """Nothing is spent before somebody has said how much may be."""
    answer = await answer_to(curator, error=50)

    assert (answer.status, answer.error.code) == ("refused", "above_max_cost")
    assert answer.quote.cost == cheapest(50, 0.95).price.units
    assert answer.quote.error == 50
    assert await curator.spent() == 0


async def test_the_least_that_reaches_it_is_spent(curator):
    """With noise of that price, and an interval of that width around what it says."""
    answer = await answer_to(curator, error=50, max_cost=ANY)

    cost = cheapest(50, 0.95).price.units
    assert (answer.spent_micro_epsilon, answer.guarantee.micro_epsilon) == (cost, cost)
    assert await curator.spent() == cost
    noise = answer.unbiased - curator.world.count(FEMALE)
    assert noise >= 1_000  # as it was drawn for this test
    assert answer.interval == (answer.unbiased - 50, answer.unbiased + 50)
    assert (answer.count, answer.confidence) == (answer.unbiased, 0.95)


async def test_another_confidence_is_another_price(curator):
    """The half width holds that often."""
    answer = await answer_to(curator, error=20, confidence=0.9, max_cost=ANY)

    assert answer.spent_micro_epsilon == cheapest(20, 0.9).price.units
    assert answer.confidence == 0.9


async def test_less_accuracy_than_the_operators_noise_has_is_had_at_its_price(curator):
    """Coarser counts than that would bind the order of all that comes after."""
    answer = await answer_to(curator, error=USUAL + 500, max_cost=ANY)

    assert answer.spent_micro_epsilon == PRICE
    half = answer.interval[1] - answer.unbiased
    assert half == USUAL


async def test_more_accuracy_later_costs_the_whole_and_replaces_the_memo(curator):
    """The count keeps its order and stays; the interval is the better one."""
    coarse = await answer_to(curator)
    fine = await answer_to(curator, error=50, max_cost=ANY)
    plain = await answer_to(curator, client="bob")
    again = await answer_to(curator, client="bob", error=60)

    assert fine.spent_micro_epsilon == cheapest(50, 0.95).price.units
    assert fine.unbiased != coarse.count
    assert fine.count == plain.count == again.count == coarse.count
    assert (plain.route, plain.spent, plain.unbiased) == ("memo", None, None)
    assert plain.stderr == fine.stderr < coarse.stderr
    assert (again.route, again.spent) == ("memo", None)
    assert again.interval == fine.interval


async def test_two_accuracies_of_one_set_in_a_batch_are_as_if_one_came_later(curator):
    """The finer first: the coarser is free. The other way round both are paid."""
    schema = curator.world.schema
    oslo = "city = 'Oslo'"

    fine, coarse = await curator.ask(
        asking(schema, FEMALE, error=50, max_cost=ANY), asking(schema, FEMALE)
    )
    first, second = await curator.ask(
        asking(schema, oslo), asking(schema, oslo, error=50, max_cost=ANY)
    )

    assert (fine.route, coarse.route, coarse.spent) == ("fresh", "memo", None)
    assert (first.spent_micro_epsilon, second.route) == (PRICE, "fresh")
    assert first.count == second.count


async def test_a_confidence_alone_changes_the_interval_and_nothing_else(curator):
    """Of what is paid for now, and of a memo."""
    sure = await answer_to(curator, confidence=0.999)
    memo = await answer_to(curator, confidence=0.5)

    assert (sure.spent_micro_epsilon, sure.confidence) == (PRICE, 0.999)
    assert (memo.route, memo.confidence) == ("memo", 0.5)
    assert memo.count == sure.count
    assert sure.interval[0] < memo.interval[0] < memo.interval[1] < sure.interval[1]
    assert await curator.spent() == PRICE


async def served(curator):
    """What a responder has in memory."""
    head, noisy = await curator.released.current("noisy")
    _, counts = await curator.released.current("counts")
    groups = Plan.from_wire(curator.world.schema, head.plan).groups
    return ServedEpoch(head, IndependentAlgebras(groups, noisy, counts), 0.95)


async def test_a_responder_answers_what_is_exact_enough_and_passes_on_the_rest(world):
    """From an algebra and from a memo, at the confidence that is asked for."""
    curator = await world.curator(draw=Large)
    await curator.tick(group(world.schema, "sex", price=PRICE), version=1)
    serving = await served(curator)
    query = serving_query(world)

    def on(**terms):
        return answer_on(serving, query, asked(**terms))

    plain, near, half = on(), on(error=USUAL), on(confidence=0.5)
    assert on(error=USUAL - 1) is None
    assert near.interval == (max(0, near.unbiased - USUAL), near.unbiased + USUAL)
    assert half.interval[1] < plain.interval[1]
    assert near.count == half.count == plain.count

    fine = await answer_to(curator, error=50, max_cost=ANY)
    [memo] = await curator.released.memos(1, [query.key])
    told = recalled(memo, asked(error=50), 0.95)
    assert (told.unbiased, told.interval) == (fine.unbiased, fine.interval)
    assert fine.count == plain.count
    assert recalled(memo, asked(error=49), 0.95) is None


def serving_query(world):
    """The set of this test."""
    return parse(world.schema, FEMALE)


def asked(**terms):
    """The terms of a client's question."""
    return QueryAsked(request_id="r", client="ada", **terms).terms


@pytest.mark.parametrize("act", ["draw", "store", "bind", "release"])
async def test_after_a_crash_the_same_accuracy_is_not_paid_twice(world, act):
    """Its noise has a name of its own, and so has its charge."""
    crash = CrashPoint(act, "before", nth=99)
    first = await world.curator(draw=Large, crash=crash)
    await first.tick()
    await first.fresh.ahead.fill(50)
    crash.nth = crash.met + 1
    with pytest.raises(Crash):
        await answer_to(first, error=50, max_cost=ANY)
    spent = await first.spent()

    successor = await world.curator(draw=Large)
    await successor.tick()
    again = await answer_to(successor, client="bob", error=50)

    assert spent == cheapest(50, 0.95).price.units
    assert (again.status, await successor.spent()) == ("ok", spent)
