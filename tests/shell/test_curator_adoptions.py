"""Adopting plans: no faster than their allowance, whoever proposes them."""

from __future__ import annotations

import itertools

import pytest

from sigmacount.accounting import Allowance, FixedNoise, Renew
from sigmacount.accounting.allowance import DAY_MS
from sigmacount.errors import PlanRateExceeded
from sigmacount.mechanisms import Amount
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import RHO, World, group
from tests.fixtures.joint_steps import joint_plan
from workers.curator.adoptions import Adoptions

pytestmark = pytest.mark.redis

EPSILON = 10_000
START = 20_000 * DAY_MS
SLOW = Allowance(capacity=EPSILON, rate=EPSILON // 10, most=3 * EPSILON)
TABLES = [["sex"], ["city"], ["job"], ["sex", "city"], ["sex", "job"], ["city", "job"]]


class Calendar:
    """The time of a test."""

    def __init__(self):
        self.now = START

    def __call__(self):
        """Milliseconds since 1970."""
        return self.now


@pytest.fixture
async def world(redis, keys):
    """Two people, in a time that only the test moves."""
    world = await World.of_two(redis, keys)
    world.clock = Calendar()
    return world


async def adopted(curator, version, *names):
    """Whether a plan of one new group was adopted."""
    await curator.tick(group(curator.world.schema, *names), version=version)
    return curator.epochs.plan.version == version


async def test_a_plan_that_comes_too_soon_is_refused_and_costs_nothing(world):
    """The old one stays in force; ten days later it is adopted."""
    curator = await world.curator(allowance=SLOW)
    assert await adopted(curator, 1, "sex")
    spent = await curator.spent()

    soon = await adopted(curator, 2, "city")
    unspent = await curator.spent()
    world.clock.now += 10 * DAY_MS
    late = await adopted(curator, 3, "city")

    assert (soon, unspent, late) == (False, spent, True)
    assert curator.epochs.head.about["adoptions"]["spent"] == 2 * EPSILON


async def test_what_was_spent_on_plans_survives_the_curator(world):
    """It is in the ledger: restarts buy no new bucket."""
    assert await adopted(await world.curator(allowance=SLOW), 1, "sex")

    for version, names in enumerate(TABLES[1:], 2):
        assert not await adopted(await world.curator(allowance=SLOW), version, *names)


async def test_a_plan_whose_adoption_was_cut_short_is_adopted_all_the_same(world):
    """It was taken out of the allowance when it was first tried, once."""
    curator = await world.curator(allowance=SLOW, crash=CrashPoint("draw"))
    with pytest.raises(Crash):
        await adopted(curator, 1, "sex")

    curator = await world.curator(allowance=SLOW)

    assert await adopted(curator, 1, "sex")
    assert curator.epochs.head.about["adoptions"]["spent"] == EPSILON
    assert not await adopted(await world.curator(allowance=SLOW), 2, "city")


async def test_a_plan_the_budget_does_not_pay_takes_nothing_out(world):
    """Who is refused for one reason is not punished by the other."""
    curator = await world.curator(allowance=SLOW, limit=EPSILON - 1)

    assert not await adopted(curator, 1, "sex")

    ids = [entry.charge.charge_id for entry in await curator.ledger.entries()]
    assert ids == ["rule:fixed-noise:0"]


async def test_groups_that_are_carried_over_take_nothing_out(world):
    """Nor does a plan that only drops some."""
    roomy = Allowance(2 * EPSILON, 1, 10**9)
    kept, gone = group(world.schema, "sex"), group(world.schema, "city")
    curator = await world.curator(allowance=roomy)
    await curator.tick(kept, gone, version=1)

    await curator.tick(kept, version=2)

    assert curator.epochs.plan.version == 2


async def test_an_old_plan_that_comes_back_takes_its_price_out_again(world):
    """Its noise is in the vault, but to show it again is not free either."""
    twice = Allowance(2 * EPSILON, 1, 10**9)
    curator = await world.curator(allowance=twice)

    found = [
        await adopted(curator, version, name)
        for version, name in enumerate(["sex", "city", "sex"], 1)
    ]

    assert found == [True, True, False]


@pytest.mark.attack
@pytest.mark.parametrize("rule", [FixedNoise(RHO), Renew()], ids=["fixed", "renew"])
async def test_rotating_plans_force_no_more_than_the_rate(world, rule):
    """Another family every day; what epochs cost is not mixed with it."""
    curator = await world.curator(allowance=SLOW, rule=rule)
    tables = itertools.cycle(TABLES)
    for version in range(1, 41):
        await adopted(curator, version, *next(tables))
        world.clock.now += DAY_MS

    lines = [entry.charge for entry in await curator.ledger.entries()]
    noted = [line for line in lines if line.purpose == "plan"]
    assert len(noted) == SLOW.most // EPSILON  # a day is a tenth of a plan
    drawn = [line for line in lines if line.purpose == "group"]
    assert len(drawn) == (40 if rule.by_clock else len(noted))


async def test_under_renew_the_plan_in_force_is_paid_for_at_every_epoch(world):
    """However little plans may cost: it is in force."""
    curator = await world.curator(allowance=SLOW, rule=Renew())
    await adopted(curator, 1, "sex")

    for _ in range(5):
        await curator.tick()

    assert await curator.spent() == 6 * EPSILON
    assert curator.epochs.head.about["adoptions"]["spent"] == EPSILON


async def test_plans_of_other_measurements_are_other_adoptions(world):
    """Neither has groups; at one version and price they are told apart all the same."""
    curator = await world.curator(allowance=SLOW)
    adoptions = Adoptions(SLOW, curator.ledger, world.tokens, [])
    one, other = (
        joint_plan(world.schema, 1, "Z", (scale,)) for scale in (400.0, 500.0)
    )
    price = Amount.pure(EPSILON)

    await adoptions.take(one, price)

    await adoptions.take(one, price)  # once more, at no cost
    with pytest.raises(PlanRateExceeded):
        await adoptions.take(other, price)
