"""The clock: a grid of ticks, none of which is caught up with."""

import pytest

from workers.curator.epochs.clock import (
    SOON,
    EpochClock,
    Moments,
    seconds_between,
    until_next,
)


class Hands:
    """A clock's own time, moved by the test."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        """What they show."""
        return self.now


@pytest.fixture
def hands():
    """They stand at 100 s."""
    return Hands()


def ticks(clock, hands, until, busy=0.0):
    """When it ticked, if each tick keeps the curator ``busy``."""
    found = []
    while hands.now < until:
        if clock.due():
            found.append(hands.now)
            hands.now += busy
            clock.ticked()
        hands.now += 0.25
    return found


def test_it_ticks_at_once_and_then_on_a_grid(hands):
    """How long a tick takes moves none of those that follow."""
    assert ticks(EpochClock(10, now=hands), hands, 131, busy=3.0) == [
        100,
        110,
        120,
        130,
    ]


def test_it_does_not_catch_up(hands):
    """One late tick stands for all that were missed, and the grid stays."""
    clock = EpochClock(10, now=hands)
    clock.ticked()
    hands.now = 147.0

    assert ticks(clock, hands, 161) == [147, 150, 160]


def test_the_first_tick_may_be_later(hands):
    """Whoever takes over waits for the time of the served epoch to end."""
    assert ticks(EpochClock(10, 4.0, now=hands), hands, 120) == [104, 114]


def test_looking_soon_does_not_move_the_grid(hands):
    """While there is nothing to answer from."""
    clock = EpochClock(10, now=hands)
    clock.ticked(soon=True)
    hands.now += SOON
    early = clock.due()
    clock.ticked()

    assert early
    assert ticks(clock, hands, 121) == [110, 120]


@pytest.mark.parametrize(
    ("as_of_ms", "expected"),
    [(60_000, 0.0), (95_000, 5.0), (100_000, 10.0), (3_700_000, 10.0)],
    ids=["long ago", "a while ago", "now", "by a clock that was ahead"],
)
def test_the_next_epoch_is_due_when_the_served_one_has_had_its_time(as_of_ms, expected):
    """And never later than one epoch from now."""
    assert until_next(as_of_ms, 10.0, 100_000) == expected


@pytest.mark.parametrize(
    ("took", "left"), [(0.0, 0.5), (0.1, 0.4), (0.49, 0.01), (0.6, 0.4), (1.2, 0.3)]
)
def test_what_may_be_seen_waits_for_the_next_moment(hands, took, left):
    """However long it took: a multiple of the step since the epoch was due."""
    moments = Moments(0.5, now=hands)
    hands.now += 7.3
    moments.begin()
    hands.now += took

    assert moments.left() == pytest.approx(left)
    assert Moments(0.0, now=hands).left() == 0


def test_a_step_is_a_part_of_an_epoch_by_the_clock_alone():
    """An eighth, and two seconds at most; where changes show, nothing waits."""
    assert seconds_between(10.0, by_clock=True) == 1.25
    assert seconds_between(3_600.0, by_clock=True) == 2.0
    assert seconds_between(10.0, by_clock=False) == 0
