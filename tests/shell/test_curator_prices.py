"""Prices: what a question would cost now, and nothing spent by asking for it."""

from __future__ import annotations

import pytest

from sigmacount.accounting import FixedNoise, Renew, surcharge
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import RHO, World, asking, group

pytestmark = pytest.mark.redis

PRICE = 20_000
FEMALE, OSLO = "sex = 'F'", "city = 'Oslo'"
MORE = {"cleo": ("F", "Rome", "nurse")}


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, *groups, **terms):
    """A curator with an epoch to answer from."""
    curator = await world.curator(draw=Large, **terms)
    await curator.tick(*groups, version=1 if groups else None)
    return curator


async def answer_to(curator, where, client="ada", **terms):
    """One question, its answer."""
    [answer] = await curator.ask(asking(curator.world.schema, where, client, **terms))
    return answer


async def quote_for(curator, where, client="ada", **terms):
    """The price of one question."""
    answer = await answer_to(curator, where, client, price=True, **terms)
    assert (answer.status, answer.count) == ("ok", None)
    return answer.quote


async def kept(world):
    """All that is in the store."""
    found = [key async for key in world.redis.scan_iter(f"*{world.keys.dataset}*")]
    return {key: await world.redis.dump(key) for key in found}


async def test_a_price_says_what_it_costs_what_it_is_worth_and_what_is_left(world):
    """Of a new set: the operator's price, of three limits."""
    curator = await at_work(world, limit=90_000, fresh_budget=80_000, quota=70_000)
    await answer_to(curator, OSLO)

    quote = await quote_for(curator, FEMALE)

    fresh = curator.fresh._options.mechanism  # noqa: SLF001 - the operator's
    assert (quote.measure, quote.cost, quote.affordable) == ("epsilon", PRICE, True)
    assert quote.stderr == pytest.approx(fresh.variance**0.5)
    assert (quote.error, quote.confidence) == (fresh.quantile(1, 0.95), 0.95)
    left = (quote.dataset_left, quote.fresh_left, quote.client_left)
    assert left == (70_000, 60_000, 50_000)


async def test_asking_for_prices_changes_nothing_that_is_stored(world):
    """No charge, no noise, no memo, no commitment; whatever else is asked with it."""
    curator = await at_work(world)
    before, told = await kept(world), len(world.trail.kept)
    schema = world.schema

    answers = await curator.ask(
        asking(schema, FEMALE, price=True),
        asking(schema, FEMALE, price=True, error=1e-9),
        asking(schema, OSLO, "bob", price=True, max_cost=2**63 - 1),
        asking(schema, FEMALE, max_cost=0),
    )

    assert [a.status for a in answers] == ["ok", "ok", "ok", "refused"]
    assert await kept(world) == before
    assert len(world.trail.kept) == told


async def test_what_an_algebra_holds_or_somebody_has_paid_for_is_free(world):
    """With the error that it has."""
    curator = await at_work(world, group(world.schema, "sex", price=5_000))
    await answer_to(curator, OSLO)

    held, memo = await quote_for(curator, FEMALE), await quote_for(curator, OSLO)

    assert (held.cost, memo.cost) == (0, 0)
    assert held.error > memo.error
    assert held.affordable
    assert memo.affordable


@pytest.mark.parametrize("rule", [FixedNoise(RHO), Renew()], ids=lambda r: r.name)
@pytest.mark.parametrize("change", [{}, MORE], ids=["quiet", "moving"])
async def test_asking_next_costs_what_was_quoted(world, rule, change):
    """In two worlds, epoch after epoch, known noise shown again among it."""
    curator = await at_work(world, rule=rule)
    for turn in range(3):
        for where in (FEMALE, OSLO, "job = 'cook'")[: turn + 1]:
            quote = await quote_for(curator, where)
            before = await curator.spent()
            answer = await answer_to(curator, where)
            added = await curator.spent() - before
            assert (added, answer.spent_micro_epsilon) == (quote.cost, quote.cost)
            assert (await quote_for(curator, where)).cost == 0
        people = {f"{name}{turn}": lives for name, lives in change.items()}
        await world.change(**people)
        await curator.tick()


async def test_showing_known_noise_again_has_its_price(world):
    """What Theorem 5 asks for it, after all that was shown again before."""
    curator = await at_work(world)
    await answer_to(curator, FEMALE)
    await answer_to(curator, OSLO)
    await world.change(**MORE)
    await curator.tick()

    first = await quote_for(curator, FEMALE)
    await answer_to(curator, OSLO, client="bob")
    second = await quote_for(curator, FEMALE)

    assert first.cost == surcharge(PRICE, RHO)
    assert second.cost == surcharge(2 * PRICE, RHO) - surcharge(PRICE, RHO)


async def test_prices_in_a_batch_stand_where_they_were_asked(world):
    """Before what comes after them, after what came before."""
    curator = await at_work(world)
    schema = world.schema

    before, paid, after = await curator.ask(
        asking(schema, FEMALE, price=True),
        asking(schema, FEMALE),
        asking(schema, FEMALE, price=True),
    )

    assert (before.quote.cost, paid.route, after.quote.cost) == (PRICE, "fresh", 0)
    assert before.quote.client_left - after.quote.client_left == PRICE


async def test_what_no_limit_would_grant_is_quoted_and_said_to_be(world):
    """A quota of less: the price is told, and that it cannot be paid."""
    curator = await at_work(world, quota=PRICE - 1)

    quote = await quote_for(curator, FEMALE)

    assert (quote.cost, quote.client_left, quote.affordable) == (
        PRICE,
        PRICE - 1,
        False,
    )


@pytest.mark.parametrize("most", [0, PRICE - 1])
async def test_what_costs_more_than_is_allowed_is_refused_with_its_price(world, most):
    """Nothing is spent or drawn; the refusal says how much it would be."""
    curator = await at_work(world)
    before = await kept(world)

    answer = await answer_to(curator, FEMALE, max_cost=most)

    assert (answer.status, answer.error.code) == ("refused", "above_max_cost")
    assert f"{PRICE} µε ({PRICE / 1e6:g} ε)" in answer.error.message
    assert f"max_cost is {most} µε" in answer.error.message
    assert answer.quote.cost == PRICE
    assert await kept(world) == before


@pytest.mark.parametrize(("named", "allowed"), [("epsilon", True), ("rho", False)])
async def test_a_limit_of_another_measure_allows_nothing(world, named, allowed):
    """So many pρ are not read as µε; what it was and what it costs is said."""
    curator = await at_work(world)
    before = await kept(world)

    answer = await answer_to(
        curator, FEMALE, max_cost=10 * PRICE, max_cost_measure=named
    )

    assert (answer.status == "ok") is allowed
    if not allowed:
        assert answer.error.code == "above_max_cost"
        assert f"max_cost is {10 * PRICE} pρ" in answer.error.message
        assert "where this dataset counts in µε; nothing" in answer.error.message
        assert (answer.quote.measure, answer.quote.cost) == ("epsilon", PRICE)
        assert await kept(world) == before


@pytest.mark.parametrize("most", [PRICE, 2**63 - 1])
async def test_what_costs_no_more_than_is_allowed_is_answered(world, most):
    """Up to that very amount."""
    curator = await at_work(world)

    answer = await answer_to(curator, FEMALE, max_cost=most)

    assert (answer.status, answer.spent_micro_epsilon) == ("ok", PRICE)


async def test_what_another_has_paid_for_is_had_for_nothing(world):
    """In one batch: who allows nothing is refused before it is paid, not after."""
    curator = await at_work(world)
    schema = world.schema

    refused, paid, free = await curator.ask(
        asking(schema, FEMALE, "ada", max_cost=0),
        asking(schema, FEMALE, "bob"),
        asking(schema, FEMALE, "ada", max_cost=0),
    )

    assert [a.status for a in (refused, paid, free)] == ["refused", "ok", "ok"]
    assert (free.route, free.count, free.spent) == ("memo", paid.count, None)
    assert await curator.ledger.spent_by("ada") == 0


async def test_the_surcharge_of_known_noise_may_be_too_much_as_well(world):
    """``max_cost: 0`` is "only if it is free"."""
    curator = await at_work(world)
    await answer_to(curator, FEMALE)
    await world.change(**MORE)
    await curator.tick()

    answer = await answer_to(curator, FEMALE, max_cost=0)

    assert answer.error.code == "above_max_cost"
    assert answer.quote.cost == surcharge(PRICE, RHO)


async def test_frozen_after_a_restart_prices_are_of_what_can_still_be_had(world):
    """What was released or answered is free; for the rest there is no price."""
    by_sex = group(world.schema, "sex")
    curator = await at_work(world, by_sex)
    await answer_to(curator, OSLO)
    await curator.released.freeze(world.tokens, 1, "budget_exhausted")
    await world.change(**MORE)
    successor = await world.curator(limit=PRICE)

    held, memo = await quote_for(successor, FEMALE), await quote_for(successor, OSLO)
    unknown = await answer_to(successor, "job = 'cook'", price=True)

    assert (held.cost, memo.cost) == (0, 0)
    assert (unknown.status, unknown.error.code) == ("refused", "release_frozen")
