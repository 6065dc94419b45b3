"""Who halts when records are bad: a counter does, whoever answers people does not."""

from __future__ import annotations

import pytest

from config.settings import Settings
from sigmacount.errors import TooManyDeadLetters
from streams.wire.records import BadRecord
from tests.fixtures.in_memory import MemoryPublisher, MemoryRecord
from workers.roles.parts import RoleParts

FLOOD = 2_000


async def flood(role):
    """Nothing but nonsense; how much of it was buried."""
    out, records = MemoryPublisher(), [MemoryRecord(b"?")] * FLOOD
    parts = RoleParts(Settings.load(general={"dataset": "people"}), role)
    bad = [BadRecord(index, "not_a_query") for index in range(FLOOD)]
    await parts.dead_letters(out).refuse(records, bad)
    return len(out.sent)


@pytest.mark.parametrize("role", ["curator", "responder", "reclusterer", "gateway"])
async def test_nonsense_of_one_client_stops_nobody_elses_answers(role):
    """All of it is buried, and the worker goes on."""
    assert await flood(role) == FLOOD


async def test_a_flood_of_bad_rows_halts_a_counter():
    """A bad deploy must not drain the topic."""
    with pytest.raises(TooManyDeadLetters):
        await flood("counter")
