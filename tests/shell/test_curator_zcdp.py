"""A dataset that counts in ρ: charged, quoted, refused and promised in it."""

from __future__ import annotations

import math

import pytest

from sigmacount.accounting import FixedNoise, Renew, surcharge_in_zcdp
from sigmacount.mechanisms import (
    DiscreteGaussian,
    Measure,
    micro_epsilon_of,
)
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import RHO, World, asking
from tests.fixtures.table_steps import rows, table_of

pytestmark = pytest.mark.redis

DELTA = 1e-9
FRESH = 15_000_000  # pρ
PURSE = 1_000_000  # µε
RULES = [FixedNoise(RHO, delta=DELTA), Renew(delta=DELTA)]
FEMALE, OSLO = "sex = 'F'", "city = 'Oslo'"
MORE = {"cleo": ("F", "Rome", "nurse")}
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, *groups, rule=RULES[0], **terms):
    """A curator of a ledger in ρ, with an epoch to answer from."""
    limits = dict.fromkeys(("limit", "fresh_budget", "quota"), 10**12)
    given = {"fresh": FRESH, "surcharges": PURSE, **limits} | terms
    curator = await world.curator(rule=rule, measure=Measure.RHO, **given)
    await curator.tick(*groups, version=1 if groups else None)
    return curator


async def answer_to(curator, where, client="ada", **terms):
    """One question, its answer."""
    [answer] = await curator.ask(asking(curator.world.schema, where, client, **terms))
    return answer


async def totals(curator):
    """All that the ledger says of itself."""
    return await curator.ledger.totals()


@each_rule
async def test_a_fresh_question_is_charged_in_rho_and_promises_epsilon_and_delta(
    world, rule
):
    """Once: who asks again, in any spelling, gets the memo."""
    curator = await at_work(world, rule=rule)

    first, again = (
        await answer_to(curator, FEMALE),
        await answer_to(curator, "NOT sex = 'M'", "bob"),
    )

    told = await totals(curator)
    assert (told.measure, told.spent) == (Measure.RHO, FRESH)
    assert (first.spent.measure, first.spent.units) == ("rho", FRESH)
    assert first.spent_micro_epsilon == 0
    assert (again.count, again.route, again.cost) == (first.count, "memo", None)
    promise = first.guarantee
    assert (promise.rule, promise.measure) == (rule.name, "rho")
    assert (promise.pico_rho, promise.delta) == (FRESH, DELTA)
    assert promise.epsilon == micro_epsilon_of(FRESH, DELTA) / 1e6
    sigma = math.sqrt(10**12 / (2 * FRESH))
    assert first.stderr == pytest.approx(sigma)


async def test_a_limit_and_a_quota_refuse_in_their_own_unit(world):
    """And nothing is spent."""
    curator = await at_work(world, limit=2 * FRESH, quota=FRESH)
    await answer_to(curator, FEMALE)

    quota = await answer_to(curator, OSLO)
    await answer_to(curator, OSLO, "bob")
    limit = await answer_to(curator, "job = 'cook'", "cleo")

    assert [quota.status, limit.status] == ["refused", "refused"]
    assert f"client 'ada' has 0 pρ left, this act asks {FRESH} pρ" in (
        quota.error.message
    )
    assert "dataset" in limit.error.message
    assert (await totals(curator)).spent == 2 * FRESH


@each_rule
async def test_asking_next_costs_what_was_quoted(world, rule):
    """Noise in ρ; showing it again in ε under fixed-noise, from its own purse."""
    curator = await at_work(world, rule=rule)
    for turn in range(3):
        for where in (FEMALE, OSLO, "job = 'cook'")[: turn + 1]:
            before = await totals(curator)
            quote = (await answer_to(curator, where, price=True)).quote
            answer = await answer_to(curator, where)
            after = await totals(curator)
            added = {
                "rho": after.spent - before.spent,
                "epsilon": after.surcharged - before.surcharged,
            }
            assert added.pop(quote.measure) == quote.cost > 0
            assert list(added.values()) == [0]
            assert (answer.cost.measure, answer.cost.units) == (
                quote.measure,
                quote.cost,
            )
        await world.change(**{f"{name}{turn}": lives for name, lives in MORE.items()})
        await curator.tick()


async def test_showing_again_is_paid_in_epsilon_beside_what_is_drawn(world):
    """ε₀ over all that was drawn and shown again: Theorem 5 read at δ."""
    curator = await at_work(world)
    await answer_to(curator, FEMALE)
    await world.change(**MORE)
    await curator.tick()

    quote = (await answer_to(curator, FEMALE, price=True)).quote
    again = await answer_to(curator, FEMALE)

    due = surcharge_in_zcdp(FRESH, FRESH, RHO, DELTA)
    told = await totals(curator)
    assert (told.spent, told.surcharged) == (FRESH, due)
    assert (again.cost.measure, again.cost.units) == ("epsilon", due)
    assert again.guarantee.delta_over_epochs == 2 * DELTA
    assert (quote.measure, quote.cost) == ("epsilon", due)
    assert quote.dataset_left == PURSE
    assert quote.affordable


async def test_without_a_purse_nothing_is_shown_again(world):
    """Refused, in µε; what is new is drawn and answered all the same."""
    curator = await at_work(world, surcharges=0)
    await answer_to(curator, FEMALE)
    await world.change(**MORE)
    await curator.tick()

    again, new = await answer_to(curator, FEMALE), await answer_to(curator, OSLO)

    assert (again.status, new.status) == ("refused", "ok")
    assert "has 0 µε left" in again.error.message
    assert (await totals(curator)).spent == 2 * FRESH


async def test_an_accuracy_is_reached_at_the_least_rho(world):
    """And a max_cost is held against it, in pρ."""
    curator = await at_work(world)

    quote = (await answer_to(curator, FEMALE, price=True, error=20.0)).quote
    refused = await answer_to(curator, FEMALE, error=20.0, max_cost=quote.cost - 1)
    answer = await answer_to(curator, FEMALE, error=20.0, max_cost=quote.cost)

    assert answer.interval[1] - answer.unbiased == 20 == quote.error
    coarser = DiscreteGaussian.costing(quote.cost - 1)
    assert coarser.quantile(1, 0.95) > 20
    assert (refused.status, refused.quote.cost) == ("refused", quote.cost)
    assert f"{quote.cost} pρ" in refused.error.message
    assert f"its max_cost is {quote.cost - 1} pρ" in refused.error.message
    assert (await totals(curator)).spent == quote.cost


async def test_a_table_is_one_charge_and_its_rows_are_free(world):
    """A row is in one cell: the cells together cost what one question does."""
    curator = await at_work(world)

    table = await table_of(curator, "city")
    alone = await answer_to(curator, OSLO, "bob")

    assert (await totals(curator)).spent == FRESH
    assert table.cost.units == FRESH
    assert (alone.count, alone.cost) == (rows(table)[("Oslo",)], None)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("act", ["charge", "store", "bind", "release"])
@each_rule
async def test_killed_between_charge_and_answer_it_is_charged_once(
    world, rule, act, side
):
    """The successor answers; under renew it may be another epoch, with a draw anew."""
    crash = CrashPoint()
    curator = await at_work(world, rule=rule, crash=crash)
    crash.act, crash.side = act, side
    with pytest.raises(Crash):
        await answer_to(curator, FEMALE)
    heir = await at_work(world, rule=rule)

    answer = await answer_to(heir, FEMALE)

    charged = {e.charge.charge_id: e.charge for e in await heir.ledger.entries()}
    fresh = [c for c in charged.values() if c.purpose == "fresh"]
    assert answer.status == "ok"
    assert (await totals(heir)).spent == sum(c.asked for c in fresh)
    assert len({c.charge_id for c in fresh}) == len(fresh)
    if rule.name == "fixed-noise":
        assert [c.asked for c in fresh] == [FRESH]
