"""A question's age is taken by the broker's clock; nobody else's can be wrong."""

from __future__ import annotations

import time

import pytest

from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.responder_steps import FEMALE, ResponderSteps, ask
from workers import responder
from workers.answering.asking.broker_time import (
    APPENDED,
    BROKERS,
    MEMORY_MS,
    OURS,
    BrokerTime,
)

NOON = 1_800_000_000_000  # ms, by the broker
HOUR = 3_600_000


class Machine:
    """A worker's machine, whose monotonic clock a test moves."""

    def __init__(self):
        self.elapsed = 5_000.0
        self.time = BrokerTime(lambda: self.elapsed)

    def sees(self, *stamps, ours=NOON):
        """Now, when these questions come in one batch."""
        records = [
            MemoryRecord(b"", timestamp=s, timestamp_type=APPENDED) for s in stamps
        ]
        return self.time.at(records, ours)


@pytest.mark.parametrize("ours", [NOON - HOUR, NOON, NOON + HOUR])
def test_our_own_clock_may_be_anything(ours):
    """An hour ahead made every answer ``expired``."""
    assert Machine().sees(NOON, ours=ours) == (NOON, BROKERS)


def test_it_is_as_late_as_the_newest_question_of_a_batch():
    """Whatever the order of its partitions."""
    assert Machine().sees(NOON - HOUR, NOON, NOON - 5)[0] == NOON


def test_time_passes_while_only_old_questions_come():
    """A backlog is old by what has been seen before, and by what passed here."""
    machine = Machine()
    machine.sees(NOON)
    machine.elapsed += 10_000

    assert machine.sees(NOON - HOUR)[0] == NOON + 10_000


def test_a_broker_that_sets_its_clock_back_is_followed_in_time():
    """Else every question would be too old until the worker starts again."""
    machine = Machine()
    machine.sees(NOON + HOUR)
    seen = []
    for number in range(1, 4):
        machine.elapsed += MEMORY_MS + 1
        there = NOON + number * (MEMORY_MS + 1)
        seen.append(machine.sees(there)[0] - there)

    assert seen == [HOUR, 0, 0]


def test_stamps_of_senders_say_nothing_of_the_broker():
    """On a topic that carries their clocks, ours is taken, and named."""
    theirs = [MemoryRecord(b"", timestamp=NOON + HOUR)]

    assert BrokerTime().at(theirs, NOON) == (NOON, OURS)


@pytest.mark.redis
async def test_a_responder_an_hour_ahead_answers_as_others_do(redis, keys, monkeypatch):
    """And what waited too long by the broker's clock is still told so, by its name."""
    steps = await ResponderSteps.of(redis, keys, ["sex"])
    theirs = int(time.time() * 1000)
    monkeypatch.setattr(responder.time, "time", lambda: theirs / 1000 + 3_600)
    stamped = {"timestamp_type": APPENDED}

    old, new = await steps.answer(
        ask(FEMALE, "old", timestamp=theirs - HOUR, **stamped),
        ask(FEMALE, "new", timestamp=theirs, **stamped),
    )

    assert (new.request_id, new.status) == ("new", "ok")
    assert (old.request_id, old.status) == ("old", "expired")
    assert BROKERS in old.error.message
