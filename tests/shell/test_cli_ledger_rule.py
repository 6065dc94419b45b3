"""`sigma ledger rule`: the operator's act, once, and never beside a curator."""

import asyncio
import json

import pytest

from cli.exits import code_of
from config.exit_codes import Exit
from sigmacount.accounting import Charge, Era
from sigmacount.errors import RulePinned
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from tests.fixtures.deployment import Deployment

pytestmark = [pytest.mark.kafka, pytest.mark.redis]


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """A ledger that is pinned to renew."""
    made = Deployment.of(kafka, redis_server, dataset, tmp_path)

    async def pin(client, keys):
        ledger = RedisLedger(client, keys)
        await ledger.open(1, 10_000_000)
        await ledger.note(1, Era("renew").charge)
        await RoleLease(client, keys, "curator").acquire("c", 1)

    made.in_store(pin)
    return made


def lines(deployment):
    """The charges of the book, by id."""
    book = json.loads(deployment.sigma("ledger", "--json").out)
    return [line["charge_id"] for line in book["entries"]], book["spent"]


def test_the_rule_is_changed_once_and_written_into_the_chain(deployment):
    """It costs nothing itself; the topic has it as well; again changes nothing."""
    done = deployment.sigma("ledger", "rule", "fixed-noise")
    again = deployment.sigma("ledger", "rule", "fixed-noise")

    assert (done.code, again.code) == (0, 0), done.err
    assert "in place of" not in again.out
    assert "SIGMA_PRIVACY_RULE=fixed-noise" in done.out
    assert "already" in again.out
    assert lines(deployment) == (["rule:renew:0", "rule:fixed-noise:2"], 0)
    told = deployment.sigma("ledger", "--from-topic", "--all")
    assert "rule:fixed-noise:2" in told.out


def test_no_rule_is_changed_while_a_curator_leads(deployment, monkeypatch):
    """It would publish under the old one."""
    monkeypatch.setattr("cli.ledger.leasing.WAIT_S", 0.3)

    async def lead(client, keys):
        await asyncio.sleep(0.01)  # the lease of the fixture is a millisecond long
        assert await RoleLease(client, keys, "curator").acquire("curator@x", 60_000)

    deployment.in_store(lead)

    told = deployment.sigma("ledger", "rule", "fixed-noise")

    assert told.code == 2
    assert "curator@x" in told.err
    assert lines(deployment) == (["rule:renew:0"], 0)


@pytest.fixture
def shown_exactly(kafka, redis_server, dataset, tmp_path):
    """A ledger that paid for showing the same noise again."""
    made = Deployment.of(kafka, redis_server, dataset, tmp_path)

    async def pay(client, keys):
        ledger = RedisLedger(client, keys)
        await ledger.open(1, 10_000_000)
        await ledger.note(1, Era("fixed-noise").charge)
        await ledger.charge(1, Charge("group:a:0", "group", 1_000))
        await ledger.charge(1, Charge("epoch:2:1000", "epoch", 7, repeats=1_000))
        await RoleLease(client, keys, "curator").acquire("c", 1)

    made.in_store(pay)
    return made


def test_a_rule_that_promises_every_change_does_not_follow_exact_ones(shown_exactly):
    """Exit code 2, both ways out in the text, and nothing written."""
    told = shown_exactly.sigma("ledger", "rule", "continual")

    assert told.code == 2
    for said in ("1 charge", "another name", "--count-lost"):
        assert said in told.err
    ids, spent = lines(shown_exactly)
    assert (ids[0], len(ids), spent) == ("rule:fixed-noise:0", 3, 1_007)


def test_it_follows_once_they_are_counted_as_lost(shown_exactly):
    """The line says from which epoch on changes are promised, and costs nothing."""
    done = shown_exactly.sigma("ledger", "rule", "continual", "--count-lost")

    assert done.code == 0, done.err
    assert "changes are promised from epoch" in " ".join(done.out.split())
    ids, spent = lines(shown_exactly)
    begun, rule, since, counted = ids[-1].split(":")
    assert (begun, rule, counted) == ("rule", "continual", f"counted-from={since}")
    assert spent == 1_007


def test_no_ledger_no_rule(kafka, redis_server, dataset, tmp_path):
    """The settings of the first curator say which."""
    told = Deployment.of(kafka, redis_server, dataset, tmp_path).sigma(
        "ledger", "rule", "renew"
    )

    assert told.code == 1
    assert "SIGMA_PRIVACY_RULE" in told.err


def test_a_worker_with_another_rule_is_not_to_be_started_again():
    """A supervisor sees a setting that must be mended first."""
    assert code_of(RulePinned("d", "renew", "fixed-noise")) is Exit.INVALID
