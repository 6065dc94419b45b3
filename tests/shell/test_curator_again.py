"""Known questions in a later epoch: whoever asks first pays for showing them again."""

from __future__ import annotations

import itertools

import pytest

from sigmacount.accounting import surcharge
from store.keys import LEDGER
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import RHO, World, asking, group

pytestmark = pytest.mark.redis

PRICE = 20_000
AGAIN = surcharge(PRICE, RHO)
FEMALE, OSLO, COOK = "sex = 'F'", "city = 'Oslo'", "job = 'cook'"


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, **terms):
    """A curator with an epoch to answer from."""
    curator = await world.curator(draw=Large, **terms)
    await curator.tick()
    return curator


async def next_epoch(curator, **people):
    """Rows change, and the curator shows it."""
    await curator.world.change(**people or {"cleo": ("F", "Rome", "nurse")})
    await curator.tick()


async def said(curator, *asked):
    """One batch of (client, question), its answers."""
    schema = curator.world.schema
    return await curator.ask(*(asking(schema, where, who) for who, where in asked))


async def spent_by(curator, *clients):
    """What came from each client's quota (µε)."""
    return [await curator.ledger.spent_by(client) for client in clients]


async def test_the_asker_pays_and_is_told_so(world):
    """Not the purpose of epochs, which is nobody's: the client's quota, the cap."""
    curator = await at_work(world)
    await said(curator, ("ada", FEMALE))
    await next_epoch(curator)

    [answer] = await said(curator, ("bob", FEMALE))

    totals = await curator.ledger.totals()
    assert (answer.route, answer.spent_micro_epsilon) == ("memo", AGAIN)
    assert await spent_by(curator, "ada", "bob") == [PRICE, AGAIN]
    assert (totals.on["fresh"], totals.on.get("epoch", 0)) == (PRICE + AGAIN, 0)


async def test_in_one_epoch_it_is_paid_once(world):
    """In the same batch, in a later one, and by whoever asks."""
    curator = await at_work(world)
    await said(curator, ("ada", FEMALE))
    await next_epoch(curator)

    first, second = await said(curator, ("bob", FEMALE), ("cy", FEMALE))
    [third] = await said(curator, ("dora", FEMALE))

    costs = [each.spent_micro_epsilon for each in (first, second, third)]
    assert costs == [AGAIN, 0, 0]
    assert {each.count for each in (first, second, third)} == {first.count}
    assert await curator.spent() == PRICE + AGAIN


@pytest.mark.attack
async def test_who_used_up_the_quota_is_shown_nothing_new(world):
    """A client inside its quota used to make others pay, epoch after epoch."""
    curator = await at_work(world, quota=PRICE + AGAIN - 1)
    await said(curator, ("ada", FEMALE))
    await next_epoch(curator)

    [refused] = await said(curator, ("ada", FEMALE))
    [other] = await said(curator, ("bob", FEMALE))
    [memo] = await said(curator, ("ada", FEMALE))

    assert (refused.status, refused.error.code) == ("refused", "budget_exhausted")
    assert "client 'ada'" in refused.error.message
    assert (other.status, other.spent_micro_epsilon) == ("ok", AGAIN)
    assert (memo.route, memo.spent_micro_epsilon) == ("memo", 0)
    assert await spent_by(curator, "ada", "bob") == [PRICE, AGAIN]


async def test_in_one_batch_the_first_who_can_pays(world):
    """One who is refused stays refused until another has paid; then it is a memo."""
    curator = await at_work(world, quota=PRICE)
    await said(curator, ("ada", FEMALE))
    await next_epoch(curator)
    batch = [("ada", FEMALE), ("bob", FEMALE), ("ada", FEMALE), ("ada", COOK)]

    one, two, three, four = await said(curator, *batch)

    assert [one.status, two.status, three.status] == ["refused", "ok", "ok"]
    assert [two.spent_micro_epsilon, three.spent_micro_epsilon] == [AGAIN, 0]
    assert four.status == "refused"
    assert await spent_by(curator, "ada", "bob") == [PRICE, AGAIN]


async def test_of_a_new_question_the_first_asker_of_a_batch_pays(world):
    """Not the last one, though they are answered together."""
    curator = await at_work(world)

    one, two = await said(curator, ("ada", FEMALE), ("bob", FEMALE))

    assert (one.route, two.route) == ("fresh", "memo")
    assert await spent_by(curator, "ada", "bob") == [PRICE, 0]


async def test_the_cap_on_fresh_questions_holds_for_showing_them_again(world):
    """What is left for plans and epochs stays theirs."""
    curator = await at_work(world, fresh_budget=PRICE + AGAIN - 1)
    await said(curator, ("ada", FEMALE))
    await next_epoch(curator)

    [refused] = await said(curator, ("bob", FEMALE))

    assert (refused.status, refused.error.code) == ("refused", "budget_exhausted")
    assert "purpose 'fresh'" in refused.error.message
    assert await curator.spent() == PRICE


async def test_theorem_5_adds_up_over_plans_and_questions(world):
    """All that was ever shown again, whoever paid, and though some was refused."""
    curator = await at_work(world, quota=PRICE + 5_000)
    await curator.tick(group(world.schema, "sex", "job"), version=1)
    clients = itertools.cycle(("ada", "bob", "cy"))
    refused = 0

    for n in range(12):
        await next_epoch(curator, **{f"p{n}": ("F", "Oslo", "nurse")})
        batch = [(next(clients), where) for where in (OSLO, f"{OSLO} AND {COOK}")]
        answers = await said(curator, *batch, *[(next(clients), w) for _, w in batch])
        refused += sum(answer.status == "refused" for answer in answers)
        totals = await curator.ledger.totals()
        assert totals.surcharged == surcharge(totals.repeated, RHO)

    assert refused > 0
    assert totals.on["epoch"] > 0
    assert totals.on["fresh"] > 2 * PRICE
    assert await curator.ledger.verify()


@pytest.mark.attack
async def test_all_that_one_client_causes_stays_within_its_quota(world):
    """Epoch after epoch it asks all it knows; what belongs to others stays theirs."""
    quota = 3 * PRICE + 10 * AGAIN
    curator = await at_work(world, quota=quota)
    await said(curator, *(("eve", where) for where in (FEMALE, OSLO, COOK)))

    for n in range(15):
        await next_epoch(curator, **{f"p{n}": ("F", "Oslo", "cook")})
        await said(curator, *(("eve", where) for where in (FEMALE, OSLO, COOK)))

    [by_eve] = await spent_by(curator, "eve")
    assert quota - PRICE < by_eve <= quota
    assert await curator.spent() == by_eve


async def test_a_question_drawn_in_this_epoch_is_not_shown_again(world):
    """The curator died before it could say so: what was paid for is told, once paid."""
    crash = CrashPoint("store", "after")
    curator = await at_work(world, crash=crash)
    with pytest.raises(Crash):
        await said(curator, ("ada", FEMALE))

    [answer] = await said(curator, ("bob", FEMALE))

    assert (answer.status, answer.spent_micro_epsilon) == ("ok", 0)
    assert await curator.spent() == PRICE


async def test_a_batch_that_is_read_again_pays_nothing_more(world):
    """Charged, and gone before it was told; whoever comes first now, ada has paid."""
    crash = CrashPoint(
        "charge", "after", nth=4
    )  # two epochs and a question come before it
    curator = await at_work(world, crash=crash)
    await said(curator, ("ada", FEMALE))
    await next_epoch(curator)
    with pytest.raises(Crash):
        await said(curator, ("ada", FEMALE))

    [answer] = await said(curator, ("bob", FEMALE))

    assert (answer.route, answer.spent_micro_epsilon) == ("memo", 0)
    assert await spent_by(curator, "ada", "bob") == [PRICE + AGAIN, 0]


async def test_a_ledger_of_an_older_version_goes_on_where_it_was(world):
    """It surcharged nothing but epochs: that is what was paid for showing again."""
    curator = await at_work(world)
    await curator.tick(group(world.schema, "sex"), version=1)
    await next_epoch(curator)
    before = await curator.ledger.totals()
    await world.redis.hdel(world.keys.of(LEDGER), "surcharged")
    unopened = await curator.ledger.totals()

    successor = await world.curator(draw=Large)
    after = await successor.ledger.totals()

    assert before.surcharged == before.on["epoch"] > 0
    assert (unopened, after) == (before, before)
