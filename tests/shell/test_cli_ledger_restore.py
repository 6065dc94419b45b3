"""`sigma ledger` beside its topic, and its restoration after a store went back."""

import asyncio
import csv
import io
import json

import pytest

from sigmacount.accounting import Charge
from store.keys import HEAD, LEDGER, LEDGER_ENTRIES
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from streams.audit.lines import granted
from streams.audit.topic import AuditTopic
from streams.clients.publisher import Publisher
from tests.fixtures.deployment import Deployment

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

START = 1_767_225_600_000  # 2026-01-01 00:00:00 UTC, ms since 1970
HOUR = 3_600_000


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """A ledger of three charges, one an hour, all of them in the topic."""
    made = Deployment.of(kafka, redis_server, dataset, tmp_path)
    hours = iter(range(9))

    async def spend(client, keys):
        ledger = RedisLedger(client, keys, lambda: START + next(hours) * HOUR)
        await ledger.open(1, 10_000_000, {"fresh": 2_000_000}, 500_000)
        await ledger.charge(1, Charge("group:g:0", "group", 1_000_000))
        for name, client_ in (("q1", "=ada"), ("q2", "bob\x1b")):
            charge = Charge(name, "fresh", 10_000, client_, attributes=("age", "sex"))
            await ledger.charge(1, charge)
        lines = enumerate(await ledger.entries(), 1)
        await publish(made, [granted(keys.dataset, 7, 2, n, e) for n, e in lines])
        await client.hset(keys.of(HEAD), "epoch", "2")
        await RoleLease(client, keys, "curator").acquire("c", 1, beyond=6)

    made.in_store(spend)
    return made


async def publish(deployment, events):
    """As a curator tells them."""
    sender = Publisher(deployment.broker.bootstrap)
    topic = AuditTopic(deployment.topics.ledger, "any", sender, lambda _: None)
    async with topic:
        await topic.append(events)


def totals(deployment):
    """(head, spent) of the store's ledger."""
    book = json.loads(deployment.sigma("ledger", "--json").out)
    return book["head"], book["spent"]


def test_the_store_and_its_topic_agree(deployment):
    """When, for whom, about what; nothing that moves a terminal's cursor."""
    told = deployment.sigma("ledger")

    assert told.code == 0, told.out + told.err
    assert "2026-01-01 02:00:00 UTC" in told.out
    assert "age, sex" in told.out
    assert "\x1b" not in told.out
    assert "went back" not in told.out
    assert "not compared" not in told.out


def test_a_charge_that_comes_meanwhile_is_no_store_that_went_back(
    deployment, monkeypatch
):
    """The store has every line before the topic, and is read after it."""
    reading = AuditTopic.read

    async def charged_and_read(topic):
        async with deployment.stored() as (client, keys):
            ledger = RedisLedger(client, keys)
            await ledger.charge(7, Charge("q3", "fresh", 10_000, "ada"))
            [*_, entry] = await ledger.entries()
            await publish(deployment, [granted(keys.dataset, 7, 2, 4, entry)])
        return await reading(topic)

    monkeypatch.setattr(AuditTopic, "read", charged_and_read)

    told = deployment.sigma("ledger")
    assert told.code == 0, told.out
    assert "the chain of 4 charges is intact" in told.out


def test_only_what_was_bought_since_then(deployment):
    """The verdict still speaks of the whole chain."""
    told = deployment.sigma("ledger", "--since", "2026-01-01T01:30")

    assert "q2" in told.out
    assert "q1" not in told.out
    assert "the chain of 3 charges is intact" in told.out
    assert "q2" not in deployment.sigma("ledger", "--since", "1m").out
    assert deployment.sigma("ledger", "--since", "soon").code == 2


def test_the_charges_as_csv_run_no_formula(deployment):
    """One line each, with a head."""
    told = deployment.sigma("ledger", "--csv")

    lines = list(csv.DictReader(io.StringIO(told.out)))
    assert [line["charge_id"] for line in lines] == ["group:g:0", "q1", "q2"]
    assert lines[1]["client"] == "'=ada"
    assert lines[1]["attributes"] == "age sex"
    assert lines[1]["at_ms"] == str(START + HOUR)
    assert deployment.sigma("ledger", "--csv", "--json").code == 2


def test_the_topic_alone_is_the_audit_export(deployment):
    """Without any right in the store."""
    told = deployment.sigma(
        "ledger", "--from-topic", "--json", redis_url="redis://127.0.0.1:1/0"
    )

    book = json.loads(told.out)
    assert [line["charge_id"] for line in book["entries"]] == ["group:g:0", "q1", "q2"]
    assert book["entries"][1]["client"] == "=ada"
    assert "1.02 ε" in deployment.sigma("ledger", "--from-topic").out


def test_a_broker_that_is_away_is_said(deployment):
    """The store's own book is shown all the same."""
    told = deployment.sigma("ledger", kafka_bootstrap="127.0.0.1:1")

    assert told.code == 0
    assert "the chain of 3 charges is intact" in told.out
    assert "not compared with its topic" in told.out


async def flush(client, keys):
    """FLUSHALL, for one dataset."""
    found = [key async for key in client.scan_iter(keys.everything())]
    await client.delete(*found)


async def older(client, keys):
    """A copy from before the last charge."""
    first = [*await RedisLedger(client, keys).entries()][:2]
    await flush(client, keys)
    ledger = RedisLedger(client, keys, lambda: first[0].at_ms)
    await ledger.open(1, 10_000_000)
    await ledger.charge(1, first[0].charge)
    late = RedisLedger(client, keys, lambda: first[1].at_ms)
    await late.charge(1, first[1].charge)


async def without_release(client, keys):
    """Only the release was lost."""
    await client.delete(keys.of(HEAD))


async def another(client, keys):
    """A life of its own after the loss: other charges under one of the old ids."""
    await flush(client, keys)
    ledger = RedisLedger(client, keys)
    await ledger.open(1, 10_000_000)
    await ledger.charge(1, Charge("q1", "fresh", 2_000_000, "eve"))


LOSSES = {
    "flushed": (flush, "0 of 3", 1_020_000),
    "older": (older, "2 of 3", 1_020_000),
    "release": (without_release, "epoch 0", 1_020_000),
    "another": (another, "1 of 3", 3_020_000),
}


@pytest.mark.parametrize(("lose", "says", "spent"), LOSSES.values(), ids=LOSSES.keys())
def test_a_store_that_went_back_is_restored(deployment, lose, says, spent):
    """Seen, shown dry, brought back with the same head, and once is enough."""
    head, before = totals(deployment)
    deployment.in_store(lose)

    seen = deployment.sigma("ledger")
    doctor = deployment.sigma("doctor")
    dry = deployment.sigma("ledger", "restore", "--dry-run")
    still = deployment.sigma("ledger")
    done = deployment.sigma("ledger", "restore")
    again = deployment.sigma("ledger", "restore")

    assert (seen.code, still.code) == (6, 6), seen.out
    assert says in seen.out
    assert "the store went back" in doctor.out
    assert "nothing was written" in dry.out
    assert done.code == 0, done.err
    assert "nothing to restore" in again.out
    assert totals(deployment)[1] == spent >= before
    if spent == before:
        assert totals(deployment)[0] == head
    assert deployment.sigma("ledger").code == 0


def test_nothing_is_restored_while_a_curator_leads(deployment, monkeypatch):
    """Two would write."""
    monkeypatch.setattr("cli.ledger.leasing.WAIT_S", 0.3)

    async def lead(client, keys):
        await client.delete(keys.of(LEDGER), keys.of(LEDGER_ENTRIES))
        await asyncio.sleep(0.01)  # the lease of the fixture is a millisecond long
        assert await RoleLease(client, keys, "curator").acquire("curator@x", 60_000)

    deployment.in_store(lead)

    told = deployment.sigma("ledger", "restore")

    assert told.code == 2
    assert "curator@x" in told.err
    assert deployment.sigma("ledger").code == 6
