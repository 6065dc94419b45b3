"""A dataset in ρ as its clients see it: a whole service, whose curator is killed."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from kafka import KafkaProducer
from redis import Redis

from sigmaclient import Answer, Quote, SyncSession
from sigmacount.mechanisms import micro_epsilon_of, most_rho
from store.keys import LEDGER_ENTRIES, Keys
from streams.wire.codec import encode
from streams.wire.messages.events import RowChanged
from tests.fixtures.cli import sigma
from tests.fixtures.until import CEILING
from tests.fixtures.worker_processes import PEOPLE, kill, page, worker_processes

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.integration]

DELTA = 1e-9
TOTAL = most_rho(4_000_000, DELTA)
FRESH = 15_000_000  # pρ
ZCDP = {
    "SIGMA_PRIVACY_MEASURE": "zcdp",
    "SIGMA_PRIVACY_DELTA": str(DELTA),
    "SIGMA_PRIVACY_BUDGET": "4000000",
    "SIGMA_PRIVACY_FRESH": str(FRESH),
    "SIGMA_PRIVACY_CLIENT_QUOTA": str(2 * FRESH),
}


class Life(NamedTuple):
    """What was asked in one epoch, the curator killed before the last question."""

    quote: Quote
    first: Answer
    other: Answer
    refused: Answer
    again: Answer
    promise: dict[str, Any]
    charges: list[dict[str, Any]]


@pytest.fixture
def life(kafka, redis_server, dataset, tmp_path):
    """A single epoch, so that what is asked again is free.

    Under fixed-noise; ``tests/shell/test_curator_zcdp.py`` tries renew as well.
    """
    settings = ZCDP | {"SIGMA_CURATOR_EPOCH_SECONDS": "600"}
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        processes.start("counter", **settings)
        processes.start("responder", **settings)
        [curator] = processes.start("curator", **settings)
        rows(kafka, processes.topics)
        processes.wait(lambda: "sigma_epoch 1.0" in page(curator, "metrics"))
        prefix = processes.topics.rows.name.removesuffix("rows")
        session = SyncSession(
            kafka.bootstrap, client="ada", prefix=prefix, timeout=CEILING
        )
        with session:
            asked = (
                session.ask("sex = 'F'", price=True).quote,
                *map(session.ask, ("sex = 'F'", "city = 'Oslo'", "job = 'cook'")),
            )
            kill(curator)
            curator.start()
            again = session.ask("NOT sex = 'M'")
        there = ("--kafka", kafka.bootstrap, "--prefix", prefix)
        promise = json.loads(sigma("describe", "--json", *there).out)["promise"]
        yield Life(*asked, again, promise, charges(processes))


def test_questions_are_priced_charged_and_promised_in_rho(life):
    """Quote, charge, memo and quota; a curator that is killed charges no more."""
    quote, first = life.quote, life.first

    assert (quote.measure, quote.cost, quote.dataset_left) == ("rho", FRESH, TOTAL)
    assert (first.ok, first.spent) == (True, {"measure": "rho", "units": FRESH})
    assert (life.other.cost, life.again.cost) == ("0.000015 ρ", "nothing")
    assert (life.again.count, life.again.route) == (first.count, "memo")
    assert life.refused.status == "refused"
    assert "client 'ada' has 0 pρ left" in life.refused.error_message
    fresh = [each for each in life.charges if each["purpose"] == "fresh"]
    assert [(each["asked"], each["measure"]) for each in fresh] == [(FRESH, "rho")] * 2
    said = first.guarantee
    assert said["rule"] == "fixed-noise-zcdp"
    assert said["epsilon"] == micro_epsilon_of(FRESH, DELTA) / 1e6
    assert (life.promise["measure"], life.promise["total"]) == ("rho", TOTAL)
    assert (life.promise["epsilon"], life.promise["delta"]) == (6.0, 2 * DELTA)


def rows(kafka, topics):
    """Twenty people."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    for number in range(20):
        row = {"sex": "FM"[number % 2], "city": "Rome", "job": "cook"}
        event = RowChanged(op="insert", id=f"p{number}", row=row)
        producer.send(topics.rows.name, key=event.id.encode(), value=encode(event))
    producer.close()


def charges(processes):
    """The lines of the ledger."""
    dataset = processes.place.dataset.split("/")[-1].removesuffix(".toml")
    with Redis.from_url(processes.place.urls["admin"]) as redis:
        lines = redis.lrange(Keys(dataset).of(LEDGER_ENTRIES), 0, -1)
    return [json.loads(line)["charge"] for line in lines]
