"""The counter under a limit: no row changes more often, and nothing goes in silence."""

from __future__ import annotations

import asyncio

import pytest

from sigmacount.errors import Mismatch
from store.sensitive import Rows, Truth
from tests.fixtures.counter_steps import COOK, NURSE, TOPICS, CounterSteps, Deaf, row
from tests.fixtures.curator_steps import World
from tests.fixtures.in_memory import MemoryPublisher

pytestmark = pytest.mark.redis

MOVES = (
    row("a", COOK),
    row("a", NURSE, "update"),
    row("a", NURSE, "update"),
    row("a", COOK, "update"),
    row("b", COOK),
    row("a", "null", "delete"),
)


@pytest.fixture
def world(redis, keys):
    """Nobody yet."""
    return World.of(redis, keys)


def aside(steps: CounterSteps) -> list[int]:
    """Offsets of what was set aside, each as often as it was."""
    return [
        int(dict(letter.headers)["__connect.errors.offset"])
        for letter in steps.out.on(TOPICS.dead_letters)
        if ("sigma.reason", b"too_many_changes") in letter.headers
    ]


@pytest.mark.parametrize(
    ("limit", "counts", "excess"),
    [
        (6, [1, 0], []),
        (5, [2, 0], [5]),
        (4, [1, 0], [3]),
        (3, [1, 1], [3, 5]),
        (2, [1, 0], [1, 2]),
        (1, [2, 0], [1, 2, 5]),
    ],
)
async def test_a_row_stays_where_it_was_when_its_changes_are_used_up(
    world, limit, counts, excess
):
    """To come 1, to move 2, to stay 0, to go 1; a move is let through whole or not."""
    steps = CounterSteps(world, *MOVES, limit=limit)

    assert await steps.counted(6) == counts
    assert aside(steps) == excess


async def test_who_goes_and_comes_back_has_changed_before(world):
    """A row that is gone keeps the number of its changes."""
    again = (row("a", COOK), row("a", "null", "delete")) * 3
    steps = CounterSteps(world, *again, limit=4)

    assert await steps.counted(6) == [0, 0]
    assert aside(steps) == [4]


async def test_the_letter_says_what_it_is_and_counts_as_one(world):
    """By its reason, in the metric that all dead letters have; no value of the row."""
    steps = CounterSteps(world, *MOVES, limit=3)
    await steps.counted(6)

    letter, *_ = steps.out.on(TOPICS.dead_letters)
    said = dict(letter.headers)
    about = {"topic": "in", "reason": "too_many_changes"}
    assert b"SIGMA_PRIVACY_CHANGES_LIMIT" in said["__connect.errors.exception.message"]
    assert said["__connect.errors.stage"] == b"TASK_PUT"
    assert not any(b"Oslo" in text for text in said.values())
    assert steps.registry.get_sample_value("sigma_dead_letters_total", about) == 2


async def test_excess_does_not_halt_a_counter(world):
    """It is what the limit is for, not a bad deploy: one row must not stop all."""
    records = row("a", COOK), *[row("a", NURSE, "update")] * 60, row("b", COOK)
    steps = CounterSteps(world, *records, limit=1, halting=(0.1, 10))

    assert await steps.counted(62) == [2, 0]
    assert len(aside(steps)) == 60


async def test_where_a_letter_was_not_acknowledged_nothing_was_placed(world):
    """The batch is read again, the same is in excess, and then all of it is done."""
    out = Deaf()
    steps = CounterSteps(world, *MOVES, limit=3, out=out)

    assert await steps.counted(6) == [1, 1]
    assert steps.consumer.sought == [2]
    assert set(aside(steps)) == {3, 5}


class Mortal(MemoryPublisher):
    """The counter dies when its letters are safe, before anything is placed."""

    async def flush(self) -> None:
        """Safe; and then nothing."""
        await super().flush()
        raise asyncio.CancelledError


async def test_who_dies_between_letter_and_step_leaves_the_batch_to_the_next(world):
    """The letter is written twice, at one place; rows are placed once."""
    dying = CounterSteps(world, *MOVES, limit=3, out=Mortal())
    with pytest.raises(asyncio.CancelledError):
        await dying.counter.run(asyncio.Event())
    assert await Truth(world.redis, world.keys).positions([0]) == [2]

    next_ = CounterSteps(world, *MOVES, limit=3)

    assert await next_.counted(6) == [1, 1]
    assert (aside(dying), aside(next_)) == ([3], [3, 5])


async def test_a_rebuild_sets_nothing_aside_that_was_set_aside_before(world):
    """The topic is read anew: same rows, and letters of new records alone."""
    await CounterSteps(world, *MOVES, limit=3).counted(6)
    steps = CounterSteps(world, *MOVES, row("a", COOK, "update"), limit=3)
    rows = Rows(world.redis, world.keys)
    await rows.rebuild(0, None, 0, steps.identity, 7)

    assert await steps.counted(7) == [1, 1]
    assert aside(steps) == [6]


async def test_another_topic_sets_aside_whatever_the_limit_does_not_let_through(world):
    """Nobody was told of its records yet; the row stays where it was."""
    await CounterSteps(world, *MOVES, limit=3).counted(6)
    steps = CounterSteps(world, row("a", COOK), limit=3, topic_id="u")
    await Rows(world.redis, world.keys).rebuild(0, None, 0, steps.identity, 1)

    assert await steps.counted(1) == [0, 1]
    assert aside(steps) == [0]


@pytest.mark.parametrize("limit", [None, 2])
async def test_a_lower_limit_or_none_is_refused(world, limit):
    """The counter ends with the remedy; nothing is written."""
    await CounterSteps(world, row("a", COOK), limit=3).counted(1)

    with pytest.raises(Mismatch, match="another name"):
        await CounterSteps(world, row("a", COOK), row("b", COOK), limit=limit).counted(
            2
        )

    assert await Truth(world.redis, world.keys).positions([0]) == [1]
    assert await Truth(world.redis, world.keys).limits([0, 1]) == [3, None]


async def test_a_higher_limit_goes_on_where_the_lower_one_ended(world):
    """What was refused stays refused; what comes now has more room."""
    await CounterSteps(world, *MOVES, limit=3).counted(6)
    steps = CounterSteps(world, *MOVES, row("a", COOK, "update"), limit=5)

    assert await steps.counted(7) == [2, 0]
    assert aside(steps) == []
