"""Counters whose ticks are stored: folds, crashes and takeovers change no bit."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sigmacount.continual import HORIZONS, Counters, KeptCounters
from sigmacount.errors import Mismatch, StoreWentBack
from sigmacount.models.ticks import Offer, TickLog
from tests.core.exact_counter import draws, state

SHORT, SIZE = HORIZONS[128], 2
KIND = f"{SHORT.epochs}:{SIZE}"


class Life:
    """Curators one after another over one log, and all that the public saw."""

    def __init__(self):
        self.log, self.token, self.drawn = TickLog(), 1, 0
        self.kept, self.head = KeptCounters.new(SHORT, SIZE), (0, 0)  # tick, epoch
        self.shown = {}  # epoch → (tick, z)
        self.announced = 0

    def epoch(self, number, dies=""):
        """Draw, step, publish, fold; after ``dies`` a successor is there instead."""
        self.announced = max(self.announced, number)
        self.drawn += 1
        moved = self.kept.now.step(draws(2 * self.drawn)[-SIZE:] >> 2)
        if dies == "draw":
            return self.succeed()
        offer = Offer(self.kept.now.tick + 1, KIND, moved.tobytes())
        self.log = self.log.step(self.token, number, {"g": offer})
        if dies == "step":
            return self.succeed()
        held = self.log.units["g"]
        moved = np.frombuffer(held.ticks[-1].moved, np.int64)
        self.kept = self.kept.after(held.last, number, moved)
        self.head = (self.kept.now.tick, number)
        self.shown[number] = (*self.head[:1], tuple(self.kept.now.noise.tolist()))
        if dies == "publish":
            return self.succeed()
        self.fold()
        return self.succeed() if dies == "fold" else None

    def fold(self):
        """What is due is stored."""
        if due := self.kept.due(self.head[0]):
            packed = due.noise.tobytes() + due.buffers.tobytes()
            self.log = self.log.fold(self.token, "g", due.tick, packed)
            self.kept = self.kept.fold()

    def read(self):
        """The counters, made of what the log holds alone."""
        if "g" not in self.log.units:
            return KeptCounters.new(SHORT, SIZE)
        held, start = self.log.units["g"], Counters.new(SHORT, SIZE)
        if held.folded:
            kept = np.frombuffer(held.state, np.int64).reshape(-1, SIZE)
            start = Counters(SHORT, held.folded, kept[0].copy(), kept[1:].copy())
        ticks = ((t.epoch, np.frombuffer(t.moved, np.int64)) for t in held.ticks)
        return KeptCounters.replayed(start, ticks)

    def succeed(self):
        """Somebody else takes over; what was drawn and not stored is gone."""
        self.token, self.kept = self.token + 1, self.read()
        self.kept.require("g", self.announced, self.head if self.head[0] else None)


acts = st.tuples(
    st.sampled_from(["", "", "draw", "step", "publish", "fold"]),
    st.integers(1, 3),  # epochs to the next: more than one after a pause
)


@example(60, [("step", 1)] * 6 + [("", 1)] * 4)
@example(63, [("", 1), ("publish", 1), ("fold", 1), ("step", 2)])
@example(0, [("draw", 1), ("step", 1), ("step", 2), ("", 3)])
@settings(max_examples=40, deadline=None)
@given(st.sampled_from([0, 1, 61, 62, 63, 64, 126]), st.lists(acts, max_size=9))
def test_whoever_dies_and_whatever_was_folded_the_noise_is_the_same(begin, what):
    """One u a tick, one tick an epoch, and the state of nobody having died."""
    life, every = Life(), {}
    numbers = [*range(1, begin + 1)]
    numbers += list(accumulate((n for _, n in what), initial=begin))[1:]
    for number, dies in zip(numbers, [""] * begin + [d for d, _ in what], strict=True):
        life.epoch(number, dies)
        for n, tick in enumerate(life.log.units["g"].ticks if life.log.units else ()):
            at = life.log.units["g"].folded + n + 1
            assert every.setdefault(at, tick) == tick, "a tick has two values of u"

    straight, z = Counters.new(SHORT, SIZE), {}
    for at in sorted(every):
        straight = straight.absorb(np.frombuffer(every[at].moved, np.int64))
        z[at] = tuple(straight.noise.tolist())
    assert state(life.kept.now) == state(life.read().now) == state(straight)
    assert life.kept.epochs == life.read().epochs
    assert all(z[tick] == seen for tick, seen in life.shown.values())
    assert {tick: epoch for epoch, (tick, _) in life.shown.items()} == {
        tick: every[tick].epoch for tick, _ in life.shown.values()
    }, "a tick was shown in two epochs"
    assert life.kept.folded == life.read().folded <= max(0, life.head[0] - 1)


def lived(ticks: int) -> KeptCounters:
    """After so many epochs, each with a tick."""
    life = Life()
    for number in range(1, ticks + 1):
        life.epoch(number)
    return life.kept


def test_the_shown_tick_and_those_after_it_are_never_folded():
    """It may have to be published again, and u of those may be asked for once more."""
    kept = lived(64)

    assert kept.due(64) is None
    assert kept.fold().folded == kept.folded == 0
    assert kept.due(65).tick == 64
    assert lived(65).folded == 64
    assert lived(65).epochs == (65,)
    assert lived(130).epochs == (129, 130)


def test_a_tick_that_is_given_again_is_taken_once():
    """After a reply that was lost, say."""
    kept = lived(3)

    assert kept.after(3, 3, np.ones(SIZE, np.int64)) is kept


@pytest.mark.parametrize(
    ("tick", "epoch", "error", "said"),
    [
        (5, 5, Mismatch, "tick 5 does not follow tick 3"),
        (3, 4, Mismatch, "tick 3 does not follow tick 3"),
        (4, 3, StoreWentBack, "tick 4 is for epoch 3, the one before for 3"),
    ],
)
def test_a_gap_and_a_second_tick_of_one_epoch_are_refused(tick, epoch, error, said):
    """Neither is a tick of these counters."""
    with pytest.raises(error, match=said):
        lived(3).after(tick, epoch, np.ones(SIZE, np.int64))


@pytest.mark.parametrize("moved", [np.ones(1, np.int64), np.ones(SIZE)])
def test_a_u_of_another_shape_is_refused(moved):
    """One number would be added to all."""
    with pytest.raises(ValueError, match="each number by one int64"):
        lived(3).after(4, 4, moved)


@pytest.mark.parametrize("shown", [None, (5, 5), (4, 4)])
def test_what_was_seen_is_there(shown):
    """The head's tick, or one or more behind those that nobody saw."""
    lived(5).require("g", 5, shown)


@pytest.mark.parametrize(
    ("newest", "shown", "said"),
    [
        (6, (6, 6), "unit g was shown at tick 6, the vault has 5"),
        (6, (5, 6), "no tick 5 of epoch 6"),
        (6, (0, 5), "no tick 0 of epoch 5"),
        (3, (3, 3), "ticked for epoch 5, the newest is 3"),
        (3, None, "ticked for epoch 5, the newest is 3"),
    ],
)
def test_a_store_behind_the_head_or_before_it_is_refused(newest, shown, said):
    """Its noise would meet other rows; the operator restores the store."""
    with pytest.raises(StoreWentBack, match=said):
        lived(5).require("g", newest, shown)


def test_a_folded_tick_cannot_be_the_one_that_is_shown():
    """The release is older than the ticks: it went back."""
    with pytest.raises(StoreWentBack, match="no tick 64"):
        lived(66).require("g", 66, (64, 64))
