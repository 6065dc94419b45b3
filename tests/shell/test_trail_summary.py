"""A summary of the trail: what is resumed from it is the trail, less what is over."""

from __future__ import annotations

import msgspec
import pytest

from sigmacount.accounting import Charge
from sigmacount.models import NoiseName
from sigmacount.models.ledger import Ledger
from streams.audit import summary
from streams.audit.lines import granted
from streams.audit.summary import TrailMark, TrailSummary
from streams.audit.trail import Trail
from streams.wire.messages.audit_events import (
    EpochAnnounced,
    NoiseCommitted,
    NoiseLost,
    TickBound,
    TicksCommitted,
)

ABOUT = {"dataset": "census", "token": 3, "served": 4, "at_ms": 5}
MARK = TrailMark(17, "ab")
TREE = "tree:0"
ENTRIES = [*Ledger("census", 10**6).charge(Charge("a", "fresh", 2, "ada"), 7)]


def block(number, epoch, until):
    """A commitment to a block of a tree."""
    name = str(NoiseName(TREE, number))
    return NoiseCommitted(
        **ABOUT, noise=name, commitment=f"c{number}", epoch=epoch, until=until
    )


def trail(epoch=9):
    """Of a line, counters, three blocks and an epoch; something was lost."""
    bound = (TickBound(noise="count:0", tick=2, commitment="cd"),)
    asked = (TickBound(noise="q-ab-7:0", tick=2, commitment="cd"),)
    return Trail.of(
        "census",
        [
            *(granted("census", 3, 0, n, e) for n, e in enumerate(ENTRIES, 1)),
            TicksCommitted(**ABOUT, epoch=2, bound=bound),
            block(0, 2, 4),
            block(1, 3, 5),
            block(2, 6, 60),
            NoiseCommitted(**ABOUT, noise="old:0", commitment="ef", epoch=1),
            NoiseLost(**ABOUT, noise="old:0"),
            TicksCommitted(**ABOUT, epoch=2, bound=asked),
            NoiseLost(**ABOUT, noise="q-ab-7:0", unasked=True),
            EpochAnnounced(**ABOUT, epoch=epoch),
        ],
    )


def resumed(whole, entries=ENTRIES, dataset="census"):
    """Through the text that a store keeps."""
    text = msgspec.json.encode(TrailSummary.of(whole, MARK))
    read = msgspec.json.decode(text, type=TrailSummary)
    assert read.mark == MARK
    return read.resumed(dataset, entries)


def test_all_is_there_but_blocks_that_are_over():
    """Not the first of a tree, which says since when its unit is shown."""
    whole = trail()

    part = resumed(whole)

    gone = NoiseName(TREE, 1)
    assert set(whole.commitments) - set(part.commitments) == {gone}
    assert part.binding() == whole.binding()
    assert part.first_of("tree", 0) == whole.first_of("tree", 0) == 2
    for each in (whole.commitments, whole.first, whole.until):
        each.pop(gone)
    assert part == whole


def test_while_they_are_needed_nothing_is_left_out():
    """The epoch that is announced may still show them."""
    whole = trail(epoch=4)
    whole.until[NoiseName(TREE, 0)] = 5

    assert resumed(whole) == whole


@pytest.mark.parametrize(
    ("entries", "dataset"), [([], "census"), (ENTRIES, "another")], ids=["lines", "set"]
)
def test_with_another_store_it_comes_to_nothing(entries, dataset):
    """The store is behind it, or is another dataset's."""
    assert resumed(trail(), entries, dataset) is None


def test_a_trail_that_contradicts_itself_or_is_too_large_is_not_summed_up(monkeypatch):
    """Who starts reads all of it, and says what is wrong."""
    forked = trail()
    forked.forks.add(1)
    assert TrailSummary.of(forked, MARK) is None

    monkeypatch.setattr(summary, "MOST_SUMMED", 3)
    assert TrailSummary.of(trail(), MARK) is None
