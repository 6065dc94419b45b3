"""Two curators: one is stopped in the middle of its work, and goes on when it is late.

Real processes. While questions arrive the leader is frozen (SIGSTOP), so that it holds
a lease it does not know it lost; the other takes over; then the first wakes. The attack
is won when a question is charged twice, has two noises, or is told two counts in one
epoch. Exact in its criterion; no error rate.
"""

from __future__ import annotations

import os
import signal
from collections import Counter, defaultdict

import msgspec
import pytest
from redis import Redis

from sigmacount.domain import Schema
from store.keys import LEDGER_ENTRIES, NOISE_UNIT, Keys
from streams.wire.messages.events import RowChanged
from tests.fixtures.cli import sigma
from tests.fixtures.curator_steps import ATTRIBUTES, asking
from tests.fixtures.reading import read_all
from tests.fixtures.worker_processes import PEOPLE, PRIVACY, about, worker_processes
from tests.integration.test_broken_batches import send, settings

pytestmark = [pytest.mark.attack, pytest.mark.redis, pytest.mark.timeout(170)]

PARTS = ("sex = 'F'", "city = 'Oslo'", "city = 'Rome'", "job = 'cook'")
WHERES = [f"{a} AND NOT {b}" for a in PARTS for b in PARTS if a != b][:10]
WORD = ("F", "Rome", "cook")
PRICE = int(PRIVACY["SIGMA_PRIVACY_FRESH"])


def ask(kafka, processes, dataset, wheres):
    """Each question, twice, by two clients, as responders pass them on."""
    schema = Schema(dataset, ATTRIBUTES)
    for client in ("ada", "eve"):
        for where in wheres:
            asked = asking(schema, where, client, f"{client} {where}")
            send(kafka, processes.topics.fresh, asked.key, asked)


def leader(curators):
    """Who says that it leads, and serves an epoch."""
    found = [
        each
        for each in curators
        if (told := about(each)).get("standby") is False and told.get("epoch")
    ]
    return found[0] if found else None


def answered(kafka, processes, expected):
    """Answers so far, once there are enough."""
    records = read_all(kafka.bootstrap, processes.topics.results, expected=expected)
    answers = [msgspec.json.decode(record.value) for record in records]
    return answers if len({a["request_id"] for a in answers}) >= expected else []


def frozen_and_late(kafka, processes, dataset, curators):
    """The leader is stopped among questions, followed, and woken among others."""
    first = processes.wait(lambda: leader(curators))
    others = [each for each in curators if each is not first]
    ask(kafka, processes, dataset, WHERES[:5])
    os.kill(first.process.pid, signal.SIGSTOP)
    try:
        processes.wait(lambda: leader(others))
        ask(kafka, processes, dataset, WHERES[5:])
    finally:
        os.kill(first.process.pid, signal.SIGCONT)
    processes.wait(lambda: about(first).get("standby") is not False)


def test_a_leader_that_wakes_too_late_pays_nothing_twice(
    kafka, redis_server, dataset, tmp_path, figures
):
    """Each question has one charge, one noise, and one count an epoch."""
    values = dict(zip(("sex", "city", "job"), WORD, strict=True))
    with (
        Redis.from_url(redis_server.url) as redis,
        worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes,
    ):
        send(
            kafka,
            processes.topics.rows,
            "a",
            RowChanged(op="insert", id="a", row=values),
        )
        processes.start("counter")
        frozen_and_late(kafka, processes, dataset, processes.start("curator", 2))
        told = processes.wait(lambda: answered(kafka, processes, 2 * len(WHERES)))
        lines = redis.lrange(Keys(dataset).of(LEDGER_ENTRIES), 0, -1)
        noises = redis.keys(Keys(dataset).of(NOISE_UNIT, unit="q-*", gen="*"))
        book = sigma("ledger", **settings(processes))

    fresh = [c for c in map(charge_of, lines) if c["purpose"] == "fresh"]
    counts = defaultdict(set)
    for answer in told:
        where = answer["request_id"].partition(" ")[2]
        counts[where, answer["epoch"]].add(answer["count"])
    assert Counter(c["asked"] for c in fresh) == {PRICE: len(WHERES)}
    assert len(noises) == len(WHERES)
    assert {len(each) for each in counts.values()} == {1}
    assert book.code == 0, book.out + book.err
    figures(f"{len(told)} answers to {len(WHERES)} questions, {len(fresh)} charges")


def charge_of(line):
    """What a line of the ledger granted."""
    return msgspec.json.decode(line)["charge"]
