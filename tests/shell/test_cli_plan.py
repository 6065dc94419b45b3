"""`sigma plan`, `sigma recluster`: what is released, and what could be."""

import asyncio
import json
import threading
import time

import numpy as np
import pytest
from rich.table import Table

from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra
from store.releases.plan_requests import Plans
from store.releases.released import Head, Released
from streams.admin.topics_admin import Admin
from streams.clients.publisher import Publisher
from streams.wire.codec import decode
from streams.wire.messages.events import PlanProposed, QueryLogged
from tests.core.joint_plans import of_contrasts, of_groups
from tests.fixtures.deployment import Deployment
from tests.fixtures.reading import read_all
from tests.fixtures.until import CEILING
from views.plan import PlanView

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

ASKED = ["age >= 60", "sex = 'F'", "age < 20 AND sex = 'M'", "age BETWEEN 20 AND 39"]
PRIVACY = {"privacy_budget": 10_000_000, "privacy_churn_probability": 0.001}


def ends(deployment, topic):
    """Partition → number of records on a topic that nothing was taken from."""
    with Admin(deployment.broker.bootstrap) as admin:
        return admin.latest(topic.name)


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """Servers, topics and a dataset of this test alone."""
    return Deployment.of(kafka, redis_server, dataset, tmp_path)


@pytest.fixture
def released(deployment):
    """A plan of one algebra over both attributes, in epoch 7."""
    group = Group(
        Algebra.full(deployment.schema, (0, 1)), DiscreteLaplace.costing(500_000)
    )
    plan = Plan(
        3, (group,), DiscreteLaplace.costing(10_000), ("asked together most often",)
    )

    async def publish(client, keys):
        head = Head(7, 1, 1_700_000_000_000, (group.id,), plan.to_wire())
        counts = {"counts": {group.id: np.zeros(group.algebra.size, np.int64)}}
        await Released(client, keys).publish(1, head, counts)

    deployment.in_store(publish)
    return deployment


def test_the_plan_is_shown_with_its_algebras(released):
    """Attributes, atoms, budget, error, threshold of Theorem 3, and why."""
    told = released.sigma("plan", "show")

    assert told.code == 0, told.err
    for words in ("plan 3: 1 algebras, 20 atoms, 0.5 ε", "age, sex", "epoch 7"):
        assert words in told.out
    assert "from 5 different questions on (90 by the paper's charge)" in told.out
    assert "asked together most often" in told.out


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (of_groups(), "3 tables of 24 cells from 3 noisy tables"),
        (of_contrasts((20.0, 30.0)), "24 cells from 2 measurements of contrasts"),
    ],
)
def test_a_joint_plan_is_shown_with_what_it_measures(plan, words):
    """Tables are published of noisy tables or of contrasts; algebras it has none."""
    head = Head(7, 1, 1_700_000_000_000, tuple(plan.published), plan.to_wire())

    parts = list(PlanView(plan, head, None).parts())

    text = " ".join(part for part in parts if isinstance(part, str))
    heads = [str(c.header) for p in parts if isinstance(p, Table) for c in p.columns]
    assert words in text
    assert "algebra" not in text
    assert heads[:3] == ["noisy table", "attributes", "cells"][: len(heads)]


def test_units_that_are_counted_over_time_say_how_old_they_are():
    """Tick, growth and price of each; under another rule nothing is said."""
    joint = of_contrasts((20.0, 30.0))
    ticks = {unit.id: 128 for unit in joint.units}
    head = Head(7, 1, 0, (), joint.to_wire(), about={"ticks": ticks, "horizon": 128})

    said = PlanView(joint.aged(ticks, 128), head, None)
    parts = list(said.parts())

    assert "\ncounted over time, for one charge" in parts
    ages = list(said.as_dict()["ages"].values())
    grown = {"variance": pytest.approx(7.14, abs=0.05), "renewed": 2.52}
    prices = [unit.price.units for unit in joint.units]
    assert ages == [{"tick": 128, **grown, "price": price} for price in prices]
    assert PlanView(joint, head, None).as_dict()["ages"] is None
    assert not any("counted" in str(p) for p in PlanView(joint, head, None).parts())


def test_the_plan_in_json_is_its_wire_form(released):
    """So that a program can make the same plan of it."""
    shown = json.loads(released.sigma("plan", "show", "--json").out)

    plan = Plan.from_wire(released.schema, shown["plan"])
    assert plan.version == 3
    assert shown["epoch"] == 7


def test_no_plan_is_said(deployment):
    """Before the first epoch."""
    assert "nothing is released yet" in deployment.sigma("plan", "show").out


def test_recluster_asks_and_tells_the_decision(deployment):
    """The reclusterer takes the request and answers by a decision."""

    async def decide(client, keys):
        notes = Plans(client, keys)
        while await notes.take_request() is None:  # noqa: ASYNC110 - Redis wakes nobody
            await asyncio.sleep(0.05)
        await notes.decide(
            {
                "decision": "proposed",
                "at_ms": 1_700_000_000_000,
                "gain": 0.4321,
                "why": ["a line", "another"],
            }
        )

    answering = threading.Thread(target=deployment.in_store, args=(decide,))
    answering.start()
    told = deployment.sigma("recluster", "--wait", 10)
    answering.join()

    assert told.code == 0, told.err
    assert "decision: proposed" in told.out
    assert "the predicted error falls by 43.2 %" in told.out
    assert "  another" in told.out


def test_recluster_does_not_wait_for_ever(deployment):
    """Exit code 4 when no reclusterer is there."""
    begun = time.monotonic()

    told = deployment.sigma("recluster", "--wait", 0.5)

    assert told.code == 4
    assert "is a reclusterer running" in told.err
    assert time.monotonic() - begun < CEILING


@pytest.fixture
def logged(deployment):
    """A query log: two clients, four shapes, 300 questions of today."""

    async def log():
        now = time.time_ns() // 1_000_000
        async with Publisher(deployment.broker.bootstrap) as publisher:
            for n, where in enumerate(ASKED * 25):
                query = parse(deployment.schema, where)
                event = QueryLogged(
                    key=query.key,
                    query=query.to_wire(),
                    attributes=("age",),
                    client="ada" if n % 2 else "bob",
                    times=3,
                    route="fresh",
                    ts_ms=now,
                )
                await publisher.send(deployment.topics.query_log, query.key, event)
            await publisher.flush()

    asyncio.run(log())
    return deployment


def test_a_proposal_explains_itself_and_changes_nothing(logged):
    """The planner's own lines; two clients count alike; none is sent."""
    told = logged.sigma("plan", "propose", **PRIVACY)

    assert told.code == 0, told.err
    assert "from 300 questions, 4 of them different" in told.out
    assert "nothing was sent" in told.out
    assert not any(ends(logged, logged.topics.plans).values())


def test_a_proposal_can_be_handed_to_the_curator(logged):
    """``--send``: one record on ``plans``, of the version that follows."""
    told = logged.sigma("plan", "propose", "--send", "--json", **PRIVACY)

    assert told.code == 0, told.err
    (record,) = read_all(logged.broker.bootstrap, logged.topics.plans, expected=1)
    event = decode(PlanProposed, record.value)
    assert record.key.decode() == event.dataset == logged.schema.name
    assert (event.version, event.based_on) == (1, 0)
    plan = Plan.from_wire(logged.schema, event.plan)
    assert plan.to_wire() == json.loads(told.out)["plan"]
    assert plan.groups


def test_an_empty_log_proposes_nothing(deployment):
    """Exit code 1, and why."""
    told = deployment.sigma("plan", "propose", **PRIVACY)

    assert told.code == 1
    assert "the query log is empty" in told.out


def test_a_proposal_needs_a_budget(logged):
    """A plan is a way to spend; without a budget there is none."""
    told = logged.sigma("plan", "propose")

    assert told.code == 2
    assert "SIGMA_PRIVACY_BUDGET" in told.err


def test_the_families_of_noise_are_compared_before_anybody_asks(deployment):
    """From the declaration alone: no server has to be there, no ledger is opened."""
    told = deployment.sigma("plan", "propose", "--prior", "--delta", "1e-6")
    read = deployment.sigma(
        "plan", "propose", "--prior", "--epsilon", 2, "--delta", "1e-9", "--json"
    )

    assert told.code == read.code == 0, told.err
    assert "δ = 1e-06" in told.out
    assert "Laplace noise errs less" in told.out
    assert "SIGMA_PRIVACY_MEASURE=epsilon" in told.out
    assert "cannot be changed after" in told.out
    families = json.loads(read.out)
    assert families["micro_epsilon"] == 2_000_000
    assert families["error_laplace"] < families["error_gaussian"]
