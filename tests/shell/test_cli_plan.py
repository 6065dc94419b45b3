"""`sigma ledger`, `sigma plan`, `sigma recluster`: what is spent and on what."""

import asyncio
import json
import threading
import time

import numpy as np
import pytest

from sigmacount.algebra import Algebra
from sigmacount.charges import Charge
from sigmacount.groups import Group, Plan
from store.keys import LEDGER_ENTRIES
from store.ledger import RedisLedger
from store.plans import Plans
from store.released import Head, Released
from tests.fixtures.deployment import Deployment

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.timeout(60)]


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """Servers, topics and a dataset of this test alone."""
    return Deployment.of(kafka, redis_server, dataset, tmp_path)


@pytest.fixture
def spent(deployment):
    """A ledger with 25 charges."""

    async def spend(client, keys):
        ledger = RedisLedger(client, keys)
        await ledger.open(1, 10_000_000, {"fresh": 2_000_000}, 500_000)
        await ledger.charge(1, Charge("plan-1/group", "group", 1_000_000))
        for n in range(24):
            await ledger.charge(1, Charge(f"q{n}", "fresh", 10_000, client="ada"))

    deployment.in_store(spend)
    return deployment


def test_the_ledger_shows_what_was_spent_on_what(spent):
    """In ε for people; the newest charges; the chain."""
    told = spent.sigma("ledger")

    assert told.code == 0, told.err
    assert "1.24 ε" in told.out
    assert "8.76 ε left" in told.out
    assert "the chain of 25 charges is intact" in told.out
    assert "q23" in told.out
    assert "plan-1/group" not in told.out
    assert "plan-1/group" in spent.sigma("ledger", "--all").out


def test_the_ledger_in_json_is_in_whole_micro_epsilon(spent):
    """Every charge, for programs."""
    book = json.loads(spent.sigma("ledger", "--json").out)

    assert (book["limit"], book["spent"], book["left"]) == (
        10_000_000,
        1_240_000,
        8_760_000,
    )
    assert book["spent_on"]["fresh"] == 240_000
    assert len(book["entries"]) == 25
    assert book["intact"] is True


def test_a_changed_line_is_noticed(spent):
    """Exit code 1: the chain is broken."""

    async def forge(client, keys):
        key = keys.of(LEDGER_ENTRIES)
        line = await client.lindex(key, 3)
        await client.lset(key, 3, line.replace(b"ada", b"eve"))

    spent.in_store(forge)

    told = spent.sigma("ledger")
    assert told.code == 1
    assert "is broken" in told.out


def test_no_ledger_is_said(deployment):
    """Before the curator's first start."""
    told = deployment.sigma("ledger")

    assert told.code == 0
    assert "no ledger is open yet" in told.out


@pytest.fixture
def released(deployment):
    """A plan of one algebra over both attributes, in epoch 7."""
    group = Group(Algebra.full(deployment.schema, (0, 1)), 500_000)
    plan = Plan(3, (group,), 10_000, ("asked together most often",))

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
    assert time.monotonic() - begun < 5
