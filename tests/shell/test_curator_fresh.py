"""Fresh questions: charged to who asks first, told alike to everybody."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Renew, surcharge
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import RHO, World, asking

pytestmark = pytest.mark.redis

PRICE = 20_000
FEMALE = "sex = 'F'"
SPELLINGS = ("NOT (sex = 'M')", "sex IN ('F')", "sex <> 'M' OR sex = 'F'")


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, **terms):
    """A curator with an epoch to answer from."""
    curator = await world.curator(draw=Large, **terms)
    await curator.tick()
    return curator


async def answer_to(curator, where, client="ada"):
    """One question, its answer."""
    [answer] = await curator.ask(asking(curator.world.schema, where, client))
    return answer


async def test_the_first_to_ask_pays(world):
    """ε of a fresh query, once, and the answer says so."""
    curator = await at_work(world)

    answer = await answer_to(curator, FEMALE)

    assert (answer.status, answer.route) == ("ok", "fresh")
    assert answer.spent_micro_epsilon == await curator.spent() == PRICE
    assert await curator.ledger.spent_by("ada") == PRICE


@pytest.mark.parametrize("where", SPELLINGS)
async def test_another_client_with_other_words_hears_the_same_for_nothing(world, where):
    """A memo: same set, same count, no charge."""
    curator = await at_work(world)
    first = await answer_to(curator, FEMALE)

    again = await answer_to(curator, where, client="bob")

    assert (again.route, again.spent_micro_epsilon) == ("memo", 0)
    assert (again.count, again.interval) == (first.count, first.interval)
    assert (await curator.spent(), await curator.ledger.spent_by("bob")) == (PRICE, 0)


async def test_the_same_set_twice_in_one_batch_is_charged_once(world):
    """Questions that arrive together are answered as if one after the other."""
    curator = await at_work(world)
    schema = world.schema

    one, two = await curator.ask(
        asking(schema, FEMALE, "ada", "r1"), asking(schema, SPELLINGS[0], "bob", "r2")
    )

    assert (one.route, two.route) == ("fresh", "memo")
    assert (one.request_id, two.request_id) == ("r1", "r2")
    assert one.count == two.count
    assert await curator.spent() == PRICE


async def test_in_a_later_epoch_the_noise_is_the_same_and_the_truth_moves(world):
    """Algorithm 5 for one query, priced as Theorem 5 prices it."""
    curator = await at_work(world)
    first = await answer_to(curator, FEMALE)
    noise = first.count - world.count(FEMALE)

    await world.change(cleo=("F", "Rome", "nurse"), dora=("F", "Rome", "cook"))
    await curator.tick()
    later = await answer_to(curator, FEMALE, client="bob")

    assert later.count - world.count(FEMALE) == noise
    assert later.count == first.count + 2
    assert (later.route, later.epoch) == ("memo", first.epoch + 1)
    assert later.guarantee.epochs == 2
    assert await curator.spent() == PRICE + surcharge(PRICE, RHO)


async def test_between_two_epochs_answers_do_not_move(world):
    """All answers of an epoch come from its snapshot, fresh ones too."""
    curator = await at_work(world)
    before = world.count(FEMALE)
    await world.change(cleo=("F", "Rome", "nurse"))

    answer = await answer_to(curator, FEMALE)

    [noise] = await noises(curator)
    assert answer.count == before + noise


async def noises(curator):
    """The noise of every fresh query in the vault."""
    found = []
    async for key in curator.world.redis.scan_iter(
        curator.world.keys.everything("noise}:unit:q-")
    ):
        packed = await curator.world.redis.hget(key, "array")
        found.append(int.from_bytes(packed[1:], "little", signed=True))
    return found


async def test_a_client_over_its_quota_is_refused_and_others_are_not(world):
    """Nobody can use up what belongs to all."""
    curator = await at_work(world, quota=PRICE)
    await answer_to(curator, FEMALE)

    refused = await answer_to(curator, "city = 'Oslo'")
    other = await answer_to(curator, "city = 'Oslo'", client="bob")

    assert (refused.status, refused.error.code) == ("refused", "budget_exhausted")
    assert "client" in refused.error.message
    assert refused.count is None
    assert other.status == "ok"
    assert await curator.spent() == 2 * PRICE


async def test_a_client_over_its_quota_still_hears_what_is_known(world):
    """What was paid for is everybody's."""
    curator = await at_work(world, quota=PRICE)
    await answer_to(curator, FEMALE)

    again = await answer_to(curator, SPELLINGS[1])

    assert (again.status, again.route) == ("ok", "memo")


async def test_fresh_questions_cannot_spend_more_than_their_share(world):
    """The fresh budget is refused by its own name; the rest of the ledger stays."""
    curator = await at_work(world, fresh_budget=PRICE)
    await answer_to(curator, FEMALE)

    refused = await answer_to(curator, "city = 'Oslo'", client="bob")

    assert (refused.status, refused.error.code) == ("refused", "budget_exhausted")
    assert "fresh" in refused.error.message
    assert await curator.spent() == PRICE


async def test_a_refused_question_draws_no_noise(world):
    """Nothing is kept of what was not paid for."""
    curator = await at_work(world, fresh_budget=PRICE - 1)

    await answer_to(curator, FEMALE)

    assert await noises(curator) == []


async def test_frozen_after_a_restart_only_this_epochs_memos_are_told(world):
    """The snapshot of the frozen epoch is gone: an answer would be of another time."""
    curator = await at_work(world)
    known = await answer_to(curator, FEMALE)
    await curator.released.freeze(world.tokens, 1, "budget_exhausted")
    successor = await world.curator(limit=PRICE)

    memo = await answer_to(successor, SPELLINGS[2])
    unknown = await answer_to(successor, "city = 'Oslo'")

    assert (memo.count, memo.route) == (known.count, "memo")
    assert (unknown.status, unknown.error.code) == ("refused", "release_frozen")
    assert await successor.spent() == PRICE


async def test_a_query_of_another_schema_is_invalid(world):
    """Said to the client; nothing is spent."""
    curator = await at_work(world)
    asked = asking(world.schema, FEMALE)
    asked.query["active"] = ["weight"]

    [answer] = await curator.ask(asked)

    assert answer.status == "invalid"
    assert await curator.spent() == 0


async def test_under_renew_every_epoch_pays_for_noise_of_its_own(world):
    """Nothing is shown twice, so nothing exact can be learnt from two epochs."""
    curator = await at_work(world, rule=Renew())
    first = await answer_to(curator, FEMALE)

    await world.change(cleo=("F", "Rome", "nurse"))
    await curator.tick()
    later = await answer_to(curator, FEMALE)

    assert later.count - first.count != 1
    assert (later.route, later.spent_micro_epsilon) == ("fresh", PRICE)
    assert await curator.spent() == 2 * PRICE


async def test_who_asks_again_after_a_crash_hears_what_was_paid_for(world):
    """Charged by one client, told to another: the noise exists once."""
    curator = await at_work(world, crash=CrashPoint("store", "after"))
    with pytest.raises(Crash):
        await answer_to(curator, FEMALE)
    [noise] = await noises(curator)

    successor = await at_work(world, quota=PRICE)
    answer = await answer_to(successor, FEMALE, client="bob")

    assert answer.count == world.count(FEMALE) + noise


async def test_what_a_client_paid_for_before_a_crash_another_may_hear(world):
    """The charge is there, its noise is not yet: it is drawn now, and paid once."""
    second = CrashPoint(
        "charge", "after", nth=2
    )  # the first epoch charges, too: nothing
    curator = await at_work(world, crash=second)
    with pytest.raises(Crash):
        await answer_to(curator, FEMALE)

    successor = await at_work(world)
    answer = await answer_to(successor, FEMALE, client="bob")

    assert answer.status == "ok"
    assert (await successor.spent(), await successor.ledger.spent_by("bob")) == (
        PRICE,
        0,
    )
