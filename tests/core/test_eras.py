"""Eras: the rule that a ledger is of, and noise that belongs to one era alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import (
    Charge,
    Era,
    FixedNoise,
    Renew,
    era_in_force,
    mixing,
)
from sigmacount.models.ledger import Ledger

RULES = {"fixed-noise": FixedNoise(0.1), "renew": Renew()}


def test_a_ledger_without_a_line_of_it_is_of_no_rule():
    """Whoever opens it pins one."""
    assert era_in_force([]) is None
    assert era_in_force(Ledger("d", 10).charge(Charge("g", "group", 1))) is None


def test_the_newest_line_says_which_rule_is_in_force():
    """Other charges between them change nothing, and the lines cost nothing."""
    first = Era("fixed-noise")
    second = first.followed_by("renew", 7)
    ledger = Ledger("d", 10)
    for charge in (first.charge, Charge("g", "group", 10), second.charge):
        ledger = ledger.charge(charge)

    assert era_in_force(ledger) == second
    assert (ledger.spent, ledger.left) == (10, 0)


def test_a_ledger_that_is_overdrawn_can_be_given_another_rule():
    """The operator lowered its limit below what was spent."""
    ledger = Ledger("d", 10).charge(Charge("g", "group", 10))
    lowered = Ledger("d", 5).restore(ledger)

    assert era_in_force(lowered.charge(Era("renew", 3).charge)) == Era("renew", 3)


@given(
    lives=st.lists(
        st.tuples(st.sampled_from(sorted(RULES)), st.integers(0, 4)), max_size=8
    )
)
def test_no_two_eras_share_a_generation_or_an_epoch(lives):
    """However often the rule changes, and whether epochs came in between or not.

    The last epoch of each era may have been drawn for, and never have been announced.
    """
    era, announced, seen = Era("fixed-noise"), 0, set()
    for rule, epochs in [("fixed-noise", 2), *lives]:
        if rule != era.rule:
            era = era.followed_by(rule, announced + 1)
        here = RULES[rule].in_era(era.since)
        drawn = set()
        for _ in range(epochs):
            announced = max(announced + 1, here.era)
            drawn.add(here.noise_generation(announced))
        drawn.add(here.noise_generation(max(announced + 1, here.era)))
        fresh = {(era, generation) for generation in drawn}
        others = {generation for known, generation in seen if known != era}
        assert not drawn & others
        seen |= fresh


@pytest.mark.parametrize(
    "fields",
    [{"charge_id": ""}, {"asked": 1}, {"repeats": 1}, {"client": "ada"}],
)
def test_a_note_costs_nothing_and_is_in_nobodys_name(fields):
    """No limit refuses it, so it must not be a way around one."""
    good = {"charge_id": "rule:renew:1", "purpose": "rule", "asked": 0}

    Charge(**good)
    with pytest.raises(ValueError, match="note"):
        Charge(**(good | fields))


def lived(*charges):
    """A ledger that granted these, in order."""
    ledger = Ledger("d", 10**6)
    for charge in charges:
        ledger = ledger.charge(charge)
    return ledger


FIXED = Era("fixed-noise")
DRAWN = Charge("group:a:0", "group", 10)
AGAIN = Charge("epoch:2:10", "epoch", 0, repeats=10)
ASKED_AGAIN = Charge("again:q:3", "fresh", 1, "ada", repeats=5)


@pytest.mark.parametrize("again", [AGAIN, ASKED_AGAIN])
def test_where_changes_were_shown_exactly_no_rule_can_promise_every_change(again):
    """Neither at once nor by way of `renew`, whatever the surcharge was rounded to."""
    ledger = lived(FIXED.charge, DRAWN, again)
    by_way = ledger.charge(FIXED.followed_by("renew", 4).charge)

    for entries in (ledger, by_way):
        refusal = mixing("d", entries, "continual")
        assert (refusal.dataset, refusal.shown, refusal.charges) == (
            ("d", "fixed-noise", 1)
        )
        assert refusal.mended_by_loss
        assert mixing("d", entries, "renew") is None
        assert mixing("d", entries, "fixed-noise") is None


def test_what_was_shown_once_shows_no_change():
    """An epoch, its plan and a fresh question of it; then every change is promised."""
    asked = Charge("fresh:q:0", "fresh", 5, "ada")

    assert mixing("d", lived(FIXED.charge, DRAWN, asked), "continual") is None
    assert mixing("d", lived(Era("renew").charge, DRAWN), "continual") is None


def test_what_was_counted_as_lost_stands_in_nobodys_way_again():
    """The note says from which epoch on changes are promised; later ones keep it."""
    lost = FIXED.followed_by("continual", 4, count_lost=True)
    ledger = lived(FIXED.charge, DRAWN, AGAIN, lost.charge, lost.rated(1_024).charge)
    away = lost.followed_by("renew", 9)

    assert (lost.counted_from, away.counted_from) == (lost.since, lost.since)
    assert era_in_force(ledger) == lost.rated(1_024)
    assert mixing("d", ledger.charge(away.charge), "continual") is None


def test_changes_shown_exactly_after_a_loss_stand_in_the_way_as_before():
    """A note says what was lost by then, not what may be lost later."""
    lost = FIXED.followed_by("continual", 4, count_lost=True)
    fixed = lost.followed_by("fixed-noise", 5)
    later = Charge("epoch:8:10", "epoch", 2, repeats=10)

    ledger = lived(FIXED.charge, DRAWN, AGAIN, lost.charge, fixed.charge, later)
    by_way = ledger.charge(fixed.followed_by("renew", 9).charge)

    assert mixing("d", ledger, "continual").charges == 1
    assert mixing("d", by_way, "continual").charges == 1


def test_where_every_change_was_promised_none_is_ever_shown_exactly():
    """No loss mends that; an era in which nothing was paid for promised nothing."""
    begun = Era("continual", horizon=128)
    renewed = begun.followed_by("renew", 3)

    ledger = lived(begun.charge, DRAWN, renewed.charge)

    refusal = mixing("d", ledger, "fixed-noise")
    assert (refusal.shown, refusal.charges) == ("continual", 1)
    assert not refusal.mended_by_loss
    assert mixing("d", ledger, "renew") is None
    assert mixing("d", ledger, "continual") is None
    assert mixing("d", lived(begun.charge), "fixed-noise") is None


@given(
    st.builds(
        Era,
        st.sampled_from(["renew", "continual"]),
        st.integers(0, 2**40),
        st.none() | st.integers(1, 2**26),
        st.integers(0, 2**40),
    )
)
def test_an_era_is_read_back_from_its_line(era):
    """With its horizon and with what it counts from, or without."""
    assert era_in_force(lived(era.charge)) == era
