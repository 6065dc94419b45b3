"""`sigma ledger`: what was spent, on what, and whether the book is intact."""

import json

import pytest

from sigmacount.accounting import Charge
from store.keys import LEDGER_ENTRIES
from store.ledger.ledger import RedisLedger
from tests.fixtures.deployment import Deployment

pytestmark = [pytest.mark.kafka, pytest.mark.redis]


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
        about = ("age", "sex")
        for n in range(24):
            paid = Charge(f"q{n}", "fresh", 10_000, "ada", attributes=about)
            await ledger.charge(1, paid)

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
