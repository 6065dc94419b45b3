"""The trail: what messages come to, in any number of repetitions."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge, Entry
from sigmacount.errors import InvalidMessage
from sigmacount.mechanisms import Measure
from sigmacount.models import NoiseName
from sigmacount.models.ledger import Ledger
from streams.audit.lines import granted, line_of
from streams.audit.trail import LastTick, Trail
from streams.wire.codec import encode
from streams.wire.messages.audit_events import (
    EpochAnnounced,
    NoiseCommitted,
    NoiseLost,
    StoreRestored,
    TickBound,
    TicksCommitted,
    decode_audit,
    key_of,
)

ABOUT = {"dataset": "census", "token": 3, "served": 4, "at_ms": 5}


def lines(*names: str) -> list[Entry]:
    """A ledger of these charges."""
    ledger = Ledger("census", 10**6)
    for name in names:
        paid = Charge(name, "fresh", 2, "ada", attributes=("age",))
        ledger = ledger.charge(paid, 7)
    return list(ledger)


def told(entries: list[Entry], served: int = 0) -> list:
    """Each line, as a curator tells it."""
    return [granted("census", 3, served, n, e) for n, e in enumerate(entries, 1)]


def committed(name: NoiseName, epoch: int = 1, figure: str = "ab"):
    """A commitment."""
    return NoiseCommitted(**ABOUT, noise=str(name), commitment=figure, epoch=epoch)


def ticked(tick: int, *names: NoiseName, epoch: int = 1, figure: str = "ab"):
    """Commitments to a tick of each of these."""
    bound = (TickBound(noise=str(n), tick=tick, commitment=figure) for n in names)
    return TicksCommitted(**ABOUT, epoch=epoch, bound=tuple(bound))


EVENTS = [
    ticked(3, NoiseName("c", 0), epoch=4),
    *told(lines("a", "b")),
    committed(NoiseName("g", 0)),
    EpochAnnounced(**ABOUT, epoch=5),
    NoiseLost(**ABOUT, noise="g:0"),
    StoreRestored(**ABOUT, lines=1, micro_epsilon=2, lost=1),
]


@pytest.mark.parametrize("measure", Measure)
def test_a_line_is_told_in_its_measure(measure):
    """Where nothing is said it is pure ε, as in messages that are there already."""
    paid = Charge("a", "fresh", 2, "ada", measure=measure)
    [line] = Ledger("census", 10, measure=measure).charge(paid, 7)

    [message] = told([line])

    assert (b"measure" in encode(message)) is (measure is Measure.RHO)
    assert line_of(decode_audit(encode(message))) == line


@pytest.mark.parametrize("event", EVENTS)
def test_a_message_is_read_as_it_was_sent(event):
    """Its kind is in it."""
    assert decode_audit(encode(event)) == event
    assert key_of(event)


@given(value=st.binary(max_size=60))
def test_what_is_no_message_is_refused(value):
    """And nothing else happens."""
    with pytest.raises(InvalidMessage):
        decode_audit(value)


@pytest.mark.parametrize(
    "text",
    [
        b'{"kind":"epoch","v":9,"dataset":"d","token":1,"served":0,"at_ms":1,"epoch":1}',
        b'{"kind":"party","dataset":"d","token":1,"served":0,"at_ms":1}',
        b'{"kind":"charge","dataset":"d","token":1,"served":0,"at_ms":1}',
    ],
)
def test_another_version_kind_or_form_is_refused(text):
    """An old program never half-understands a new message."""
    with pytest.raises(InvalidMessage):
        decode_audit(text)


@given(order=st.lists(st.integers(0, len(EVENTS) - 1), max_size=12))
def test_messages_that_are_repeated_change_nothing(order):
    """A lost acknowledgement has them sent again, at any later time."""
    whole = [*EVENTS, *(EVENTS[at] for at in order)]

    assert Trail.of("census", whole) == Trail.of("census", EVENTS)


@pytest.mark.parametrize(
    "event",
    [
        NoiseCommitted(**ABOUT | {"token": 99}, noise="g", commitment="ab", epoch=1),
        NoiseLost(**ABOUT | {"served": 99}, noise="g:x"),
        msgspec.structs.replace(told(lines("a"))[0], micro_epsilon=0, token=99),
        msgspec.structs.replace(told(lines("a"))[0], length=0),
    ],
)
def test_a_message_that_means_nothing_changes_nothing(event):
    """Whoever wrote it is not a curator; nobody is stopped by it."""
    assert Trail.of("census", [*EVENTS, event]) == Trail.of("census", EVENTS)


def test_it_sums_up_what_was_told():
    """Lines, commitments, the highest token and epoch, and what was lost."""
    trail = Trail.of("census", EVENTS)

    assert trail.entries() == lines("a", "b")
    assert trail.commitments == {NoiseName("g", 0): "ab"}
    assert (trail.token, trail.served, trail.epoch, trail.length) == (3, 4, 5, 2)
    assert trail.lost == {("g", 0): 1}
    assert (trail.first_of("g", 0), trail.first_of("g", 9)) == (1, None)


def test_two_lines_of_one_number_are_a_fork():
    """Two stores wrote to one topic: no store is faithful to it."""
    trail = Trail.of("census", [*told(lines("a", "b")), *told(lines("a", "c"))])

    assert trail.entries() is None
    assert "two different lines 2" in trail.ahead_of(lines("a", "b"), 9, 9)


def test_a_line_that_is_missing_is_not_made_up():
    """The topic lost messages; a store that has them still fits."""
    trail = Trail.of("census", told(lines("a", "b", "c"))[1:])

    assert trail.entries() is None
    assert trail.ahead_of(lines("a", "b", "c"), 0, 3) is None
    assert trail.lacks(lines("a", "b", "c", "d")) == [1, 4]


@pytest.mark.parametrize(
    ("held", "epoch", "token", "says"),
    [
        (lines("a", "b"), 4, 3, None),
        (lines("a", "b", "c"), 5, 4, None),
        ([], 4, 3, "0 of 2"),
        (lines("a"), 4, 3, "1 of 2"),
        (lines("a", "c"), 4, 3, "line 2"),
        (lines("c", "b", "d"), 4, 3, "line 1"),
        (lines("a", "b"), 3, 3, "epoch 3"),
        (lines("a", "b"), 4, 2, "token 2"),
    ],
)
def test_a_store_that_is_behind_is_told_in_words(held, epoch, token, says):
    """Or it is not behind."""
    found = Trail.of("census", told(lines("a", "b"), served=4)).ahead_of(
        held, epoch, token
    )

    assert (found is None) if says is None else (says in found)


def test_what_was_served_counts_from_the_last_restoration():
    """The release cannot be brought back; its number is still never used again."""
    restored = StoreRestored(**ABOUT | {"served": 1}, lines=0, micro_epsilon=0, lost=0)
    trail = Trail.of("census", [*told(lines("a"), served=4), restored])

    assert (trail.served, trail.epoch) == (1, 4)


def test_only_noise_that_could_be_shown_again_binds():
    """The newest generation, under the newest name."""
    names = [
        NoiseName("g", 2),
        NoiseName("g", 10),
        NoiseName("h", 0),
        NoiseName("h", 0, 1),
        NoiseName("k", 0),
    ]
    marks = [NoiseLost(**ABOUT, noise=name) for name in ("h:0", "k:0")]
    trail = Trail.of("census", [*map(committed, names), *marks])

    assert set(trail.binding()) == {NoiseName("g", 10), NoiseName("h", 0, 1)}


def test_of_ticks_the_newest_binds_and_of_two_alike_the_first():
    """A tick has one commitment and one epoch; units tick each for itself."""
    one, other = NoiseName("c", 0), NoiseName("d", 0)
    trail = Trail.of(
        "census",
        [
            ticked(1, one, other, epoch=4),
            ticked(2, one, epoch=6),
            ticked(2, one, epoch=7, figure="cd"),
            ticked(1, one, epoch=4),
        ],
    )

    assert trail.counting() == {one: LastTick(2, 6, "ab"), other: LastTick(1, 4, "ab")}
    assert (trail.first_of("c", 0), trail.first_of("d", 0)) == (4, 4)
    trail.take(NoiseLost(**ABOUT, noise="c:0"))
    assert set(trail.counting()) == {other}


def test_noise_that_says_until_when_binds_till_then():
    """Blocks of a tree: several of one unit, and none once their unit was lost."""
    early, late = NoiseName("g:0", 0), NoiseName("g:0", 7)
    events = [
        NoiseCommitted(**ABOUT, noise=str(name), commitment="ab", epoch=5, until=until)
        for name, until in ((early, 8), (late, 9))
    ]
    trail = Trail.of("census", events)

    assert set(trail.binding()) == {early, late}
    assert (trail.first_of("g", 0), trail.first_of("g:0", 0)) == (5, 5)
    trail.take(EpochAnnounced(**ABOUT, epoch=8))
    assert set(trail.binding()) == {late}
    trail.take(NoiseLost(**ABOUT, noise="g:0"))
    assert trail.binding() == {}
