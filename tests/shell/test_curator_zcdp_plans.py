"""Plans of a dataset that counts in ρ, and what a ledger is opened in."""

from __future__ import annotations

import pytest

from sigmacount.accounting import FixedNoise, Renew
from sigmacount.errors import MeasurePinned
from sigmacount.mechanisms import DiscreteGaussian, Measure
from sigmacount.release import Group
from sigmacount.sets import Algebra
from store.ledger.ledger import RedisLedger
from tests.fixtures.curator_process import CuratorProcess
from tests.fixtures.curator_steps import RHO, World, asking, group
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

DELTA = 1e-9
FRESH, PURSE = 15_000_000, 1_000_000  # pρ, µε
RULES = [FixedNoise(RHO, delta=DELTA), Renew(delta=DELTA)]
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def curator_of(world, rule=RULES[0]):
    """One of a ledger in ρ."""
    limits = dict.fromkeys(("limit", "fresh_budget", "quota"), 10**12)
    return await world.curator(
        rule=rule, measure=Measure.RHO, fresh=FRESH, surcharges=PURSE, **limits
    )


def in_rho(world, *names, units=10**9):
    """The full algebra of these attributes, its noise for so many pρ."""
    at = sorted(world.schema.index(name) for name in names)
    return Group(Algebra.full(world.schema, at), DiscreteGaussian.costing(units))


@each_rule
async def test_an_algebra_in_rho_is_charged_once_and_answers_for_nothing(world, rule):
    """Its plan travels with law and price; a successor reads it and pays no more."""
    by_sex = in_rho(world, "sex")
    curator = await curator_of(world, rule)
    await curator.tick(by_sex, version=1)
    spent = await curator.spent()

    heir = await curator_of(world, rule)
    [held] = await curator.ask(asking(world.schema, "sex = 'F'"))

    assert spent == by_sex.price.units == 10**9
    assert heir.epochs.plan.groups == (by_sex,)
    assert (held.route, held.cost) == ("algebra", None)
    assert held.guarantee.pico_rho == 10**9


async def test_an_algebra_in_epsilon_counts_half_its_square(world):
    """Pure ε is ρ as well: ⌈e²/2⌉ pρ for e µε."""
    curator = await curator_of(world)
    await curator.tick(group(world.schema, "sex", price=10_001), version=1)

    spent = await curator.spent()
    assert spent == (10_001**2 + 1) // 2
    assert curator.epochs.head.about["adoptions"]["spent"] == spent


async def test_a_plan_in_rho_is_none_for_a_ledger_of_epsilon(world):
    """ρ promises no pure ε: it is ignored, and the next one is looked at."""
    process = CuratorProcess(world)
    process.propose(1, in_rho(world, "city"))
    process.propose(2, group(world.schema, "sex"))

    async with process.running() as curator:
        await eventually(lambda: curator.describe().get("plan") == 2)

    totals = await RedisLedger(world.redis, world.keys).totals()
    assert (totals.measure, totals.spent) == (Measure.EPSILON, 10_000)
    ignored = {"role": "curator", "reason": "invalid_plan"}
    assert process.registry.get_sample_value("sigma_plans_decided_total", ignored) == 1


async def test_the_purse_of_surcharges_is_on_the_metrics_page(world):
    """Where there is one: that of µε beside ρ."""
    process = CuratorProcess(world, rule=RULES[0], measure=Measure.RHO)
    shown = process.registry.get_sample_value

    async with process.running():
        await eventually(lambda: shown("sigma_surcharges_left") is not None)

    assert shown("sigma_surcharges_left") == shown("sigma_budget_limit")


@pytest.mark.parametrize("opened", list(Measure))
async def test_a_ledger_stays_in_the_measure_it_was_opened_in(world, opened):
    """Whatever the settings say later; nothing is written."""
    other = next(each for each in Measure if each is not opened)
    await world.curator(measure=opened)

    with pytest.raises(MeasurePinned):
        await world.curator(measure=other)
