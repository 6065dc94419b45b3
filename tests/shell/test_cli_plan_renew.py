"""`sigma plan renew`: the price first, then a request that the curator takes up."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

from sigmacount.mechanisms import DiscreteGaussian, Measure
from sigmacount.models import NoiseName
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra
from store.ledger.ledger import RedisLedger
from store.releases.released import Head, Released
from store.releases.renewal_requests import RenewalRequests
from tests.fixtures.deployment import Deployment
from tests.fixtures.until import until

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

PRICE = 10**9


def plan_of(schema):
    """Two units, one of each attribute."""
    noise = DiscreteGaussian.costing(PRICE)
    groups = tuple(Group(Algebra.full(schema, (at,)), noise) for at in (0, 1))
    return Plan(3, groups, noise)


def head_of(plan, epoch, generation, tick):
    """The head of an epoch in which the first unit is of that generation and age."""
    first, second = (unit.id for unit in plan.units)
    about = {
        "rule": "continual",
        "horizon": 1_024,
        "ticks": {first: tick, second: 9},
        "generations": {first: generation, second: 0},
        "prices": {first: PRICE, second: PRICE},
    }
    return Head(epoch, 1, 0, tuple(plan.published), plan.to_wire(), about)


async def publish(client, keys, plan, head):
    """As a curator does."""
    counts = {"counts": {g.id: np.zeros(g.algebra.size, np.int64) for g in plan.groups}}
    await Released(client, keys).publish(1, head, counts)


@pytest.fixture
def counted(kafka, redis_server, dataset, tmp_path):
    """A plan of two units at tick 600 and 9; the budget pays for one more."""
    made = Deployment.of(kafka, redis_server, dataset, tmp_path)
    plan = plan_of(made.schema)

    async def open_and_publish(client, keys):
        await RedisLedger(client, keys).open(1, 3 * PRICE // 2, measure=Measure.RHO)
        await publish(client, keys, plan, head_of(plan, 600, 0, 600))

    made.in_store(open_and_publish)
    return made, plan


def waiting(deployment):
    """What is asked for."""
    found = {}

    async def read(client, keys):
        found.update(await RenewalRequests(client, keys).waiting())

    deployment.in_store(read)
    return set(found)


def test_the_price_is_shown_and_nothing_asked_without_yes(counted):
    """What it costs, what it gains, and what the budget has left."""
    deployment, plan = counted
    unit = plan.units[0].id

    told = deployment.sigma("plan", "renew", unit)
    read = json.loads(deployment.sigma("plan", "renew", unit, "--json").out)

    assert told.code == 0, told.err
    for words in (unit, "600", "3.20", "0.001 ρ", "nothing was asked"):
        assert words in told.out
    assert (read["price"], read["left"]) == (PRICE, 3 * PRICE // 2)
    assert read["units"][unit]["variance"] > 3 * read["units"][unit]["renewed"]
    assert not waiting(deployment)


def test_plan_show_says_what_renewing_costs_and_gains(counted):
    """Of every unit, beside its age."""
    deployment, plan = counted

    told = deployment.sigma("plan", "show")
    ages = json.loads(deployment.sigma("plan", "show", "--json").out)["ages"]

    assert "if renewed" in told.out
    assert [age["price"] for age in ages.values()] == [PRICE, PRICE]
    assert [age["renewed"] for age in ages.values()] == [3.2, 3.2]
    assert list(ages) == [unit.id for unit in plan.units]


def test_it_waits_until_the_curator_shows_other_noise(counted):
    """The request names the noise that is to be followed."""
    deployment, plan = counted
    unit = plan.units[0].id
    asked = (NoiseName(unit, 0),)

    def renew():
        until(lambda: waiting(deployment) == {*asked})
        head = head_of(plan, 601, 601, 1)
        deployment.in_store(lambda client, keys: publish(client, keys, plan, head))

    curator = threading.Thread(target=renew)
    curator.start()
    told = deployment.sigma("plan", "renew", unit, "--yes", "--wait", 30)
    curator.join()

    assert told.code == 0, told.err
    assert "renewed in epoch 601" in told.out


def test_no_curator_no_renewal(counted):
    """Exit code 4; the request stands."""
    deployment, plan = counted

    told = deployment.sigma("plan", "renew", plan.units[1].id, "--yes", "--wait", 0.3)

    assert told.code == 4
    assert "the request stands for an hour" in told.err
    assert waiting(deployment) == {NoiseName(plan.units[1].id, 0)}


def test_what_the_budget_does_not_pay_is_not_asked_for(counted):
    """Exit code 3: there is enough for one of the two."""
    deployment, _ = counted

    told = deployment.sigma("plan", "renew", "--all", "--yes")

    assert told.code == 3
    assert "nothing was spent" in told.err
    assert not waiting(deployment)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("nobody",), "no unit 'nobody'"),
        ((), "take --all"),
    ],
)
def test_units_are_named_or_all_of_them(counted, typed, words):
    """Exit code 2, and nothing is asked."""
    deployment, _ = counted

    told = deployment.sigma("plan", "renew", *typed, "--yes")

    assert told.code == 2
    assert words in told.err
    assert not waiting(deployment)


def test_what_does_not_grow_is_not_renewed(kafka, redis_server, dataset, tmp_path):
    """Before the first epoch, and under other rules."""
    deployment = Deployment.of(kafka, redis_server, dataset, tmp_path)

    told = deployment.sigma("plan", "renew", "--all", "--yes")

    assert told.code == 2
    assert "under the rule continual" in told.err


def test_only_the_admin_may_ask(counted):
    """A renewal spends budget; the curator reads what was asked."""
    deployment, plan = counted

    told = deployment.sigma(
        "plan", "renew", plan.units[0].id, "--yes", "--wait", 0, user="reclusterer"
    )

    assert told.code != 0
    assert not waiting(deployment)
