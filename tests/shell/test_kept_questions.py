"""Questions that are counted over time, as the audit trail tells of them."""

from __future__ import annotations

from sigmacount.models import NoiseName
from streams.audit.questions import (
    DAY_MS,
    KeptQuestions,
    gone_questions,
    kept_questions,
    unasked_questions,
)
from streams.audit.trail import Trail
from streams.wire.messages.audit_events import NoiseLost, TickBound, TicksCommitted
from views.ledger import LedgerView

SET, NEXT, TABLE = "q-ab-7:0", "q-ab-7+1:0", "t-cd-7:0"
UNIT = "a1b2:0"  # of a plan: it ticks in every epoch


def at(day: int, *noises: str, tick: int = 1) -> TicksCommitted:
    """A tick of each, on that day."""
    bound = tuple(TickBound(noise=n, tick=tick, commitment="ab") for n in noises)
    return TicksCommitted(
        dataset="d", token=1, served=1, at_ms=day * DAY_MS, epoch=day, bound=bound
    )


def lost(noise: str, *, unasked: bool) -> NoiseLost:
    """It is not there any more."""
    about = {"dataset": "d", "token": 1, "served": 1, "at_ms": 0}
    return NoiseLost(**about, noise=noise, unasked=unasked)


def names(*texts: str) -> list[NoiseName]:
    """They are in order."""
    return [NoiseName.parse(text) for text in texts]


def test_a_question_is_as_old_as_its_newest_telling():
    """By any of its counters; what plans show is no question."""
    trail = Trail.of("d", [at(1, SET, TABLE, UNIT), at(30, NEXT), at(9, UNIT, tick=2)])

    found = kept_questions(trail)

    days = {str(name): told // DAY_MS for name, told in found.items()}
    assert days == {SET: 30, NEXT: 30, TABLE: 1}
    assert unasked_questions(trail, 91 * DAY_MS) == []
    assert unasked_questions(trail, 91 * DAY_MS + 1) == names(TABLE)
    assert unasked_questions(trail, 120 * DAY_MS + 1) == sorted(names(SET, NEXT, TABLE))


def test_what_is_marked_is_not_kept_and_is_known_to_be_gone():
    """However late a message of it comes; whoever follows drops it once more."""
    marks = [lost(SET, unasked=True), lost("t-cd-7:0.1", unasked=False)]
    trail = Trail.of("d", [at(1, SET, UNIT), *marks, lost(UNIT, unasked=False)])
    trail.note([at(1, SET)])

    assert kept_questions(trail) == {}
    assert gone_questions(trail) == names(SET, TABLE, "t-cd-7:0.1")
    assert KeptQuestions.of(trail, DAY_MS) == KeptQuestions(0, None, 3)


def test_the_ledger_says_how_many_there_are_and_how_old():
    """In words where there are any, and for programs."""
    trail = Trail.of("d", [at(1, SET), at(30, TABLE), lost(SET, unasked=True)])
    view = LedgerView(None, [], intact=True, questions=KeptQuestions.of(trail, 0))
    later = LedgerView(
        None, [], intact=True, questions=KeptQuestions.of(trail, 42 * DAY_MS)
    )
    none = LedgerView(None, [], intact=True, questions=KeptQuestions(0, None, 0))

    [words] = [part for part in later.parts(None) if "fresh questions" in str(part)]
    assert "for nothing: 1, one of them unasked for 12 days" in words
    assert "1 were forgotten" in words
    assert later.as_dict()["questions"] == {
        "counters": 1,
        "unasked_days": 12,
        "forgotten": 1,
        "forgotten_after_days": 90,
    }
    assert view.questions.unasked_days < 0
    assert not [part for part in none.parts(None) if "fresh questions" in str(part)]
