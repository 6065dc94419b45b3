"""TickLog: each tick stored once, for one epoch; all units tick or none does."""

from __future__ import annotations

import pytest

from sigmacount.continual import LAST_TICK
from sigmacount.errors import Fenced, Mismatch, StoreWentBack
from sigmacount.models.ticks import HeldTick, Offer, TickLog, UnitTicks


def of(tick: int, moved: bytes = b"a", kind: str = "128:1") -> Offer:
    """A tick that somebody drew."""
    return Offer(tick, kind, moved)


def log(ticks: int) -> TickLog:
    """One unit after so many epochs."""
    made = TickLog()
    for n in range(1, ticks + 1):
        made = made.step(1, n, {"g": of(n)})
    return made


def test_the_first_tick_of_an_epoch_stays():
    """Whether who comes later knows of it or not."""
    made = log(2).step(2, 2, {"g": of(2, b"b")}).step(2, 2, {"g": of(3, b"c")})

    assert dict(made.units) == dict(log(2).units)


@pytest.mark.parametrize(
    ("epoch", "offer", "error", "said"),
    [
        (3, of(2), Mismatch, "holds tick 2; 2 is not the next"),
        (3, of(4), Mismatch, "holds tick 2; 4 is not the next"),
        (2, of(1), Mismatch, "holds tick 2; 1 is not the next"),
        (1, of(3), StoreWentBack, "ticked for epoch 2, and epoch 1 is next"),
        (3, of(3, kind="128:2"), Mismatch, "counters of kind 128:1, not 128:2"),
    ],
)
def test_what_is_not_the_next_tick_is_refused_and_no_unit_ticks(
    epoch, offer, error, said
):
    """A gap, an epoch that is over, other counters; ``h`` was asked first."""
    held = log(2)

    with pytest.raises(error, match=said):
        held.step(1, epoch, {"h": of(1), "g": offer})


def test_the_tick_after_the_last_is_refused():
    """It is not paid for."""
    over = UnitTicks("128:1", LAST_TICK - 1, b"s", (HeldTick(7, b"a"),))

    with pytest.raises(OverflowError, match="ended with tick 2"):
        over.step("g", 8, of(LAST_TICK + 1))
    assert over.step("g", 7, of(LAST_TICK + 1)) is over


def test_a_fold_keeps_what_comes_after_it():
    """Again, or an older one: nothing changes."""
    made = log(4).fold(1, "g", 2, b"s")

    assert made.units["g"] == UnitTicks(
        "128:1", 2, b"s", (HeldTick(3, b"a"), HeldTick(4, b"a"))
    )
    for tick, state in ((2, b"s"), (1, b"r")):
        assert made.fold(1, "g", tick, state).units == made.units


def test_another_state_or_the_last_tick_is_not_folded():
    """A fold is a function of the ticks, and the last may be asked for again."""
    made = log(4).fold(1, "g", 2, b"s")

    with pytest.raises(Mismatch, match="another state is kept of tick 2"):
        made.fold(1, "g", 2, b"t")
    for unit, tick in (("g", 4), ("g", 5), ("h", 1)):
        with pytest.raises(Mismatch, match="folds only earlier ones"):
            made.fold(1, unit, tick, b"s")


def test_a_stale_curator_neither_ticks_nor_folds():
    """Its u might be shown beside the newer curator's."""
    made = log(3).step(2, 4, {"g": of(4)})

    with pytest.raises(Fenced):
        made.step(1, 5, {"g": of(5)})
    with pytest.raises(Fenced):
        made.fold(1, "g", 2, b"s")
