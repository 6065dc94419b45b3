"""Eras: the rule that a ledger is of, and noise that belongs to one era alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge, Era, FixedNoise, Renew, era_in_force
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
