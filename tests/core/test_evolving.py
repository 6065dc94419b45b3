"""Evolving releases: which noise an epoch shows, and what the ledger is asked."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import (
    AlgebrasShown,
    Charge,
    Due,
    FixedNoise,
    NoiseUse,
    QueryShown,
    Renew,
    Unexposed,
    epoch_charge,
    epsilon_after,
    max_epochs,
    surcharge,
    with_noise,
)
from sigmacount.errors import MeasureMismatch
from sigmacount.mechanisms import Amount
from sigmacount.models.ledger import Ledger

rhos = st.floats(1e-9, 0.999)


@given(
    repeated=st.integers(0, 600_000_000),
    rho=rhos,
)
def test_the_surcharge_is_rounded_up(repeated, rho):
    """At least log(1 + ρ(e^Y − 1)), and less than one µε and a hair above it."""
    price = surcharge(repeated, rho)

    exact = math.log1p(rho * math.expm1(repeated / 1e6)) * 1e6
    assert exact <= price < exact + 1 + 1e-9 * exact


def test_nothing_shown_again_costs_nothing():
    """Y = 0."""
    assert surcharge(0, 0.5) == 0


@given(repeated=st.integers(0, 2**60), more=st.integers(0, 2**40), rho=rhos)
def test_the_surcharge_never_falls_and_never_outruns_composition(repeated, more, rho):
    """0 ≤ rise ≤ E: at its worst it is plain sequential composition."""
    rise = epoch_charge(repeated, more, rho)

    hair = 1 + (repeated + more) * Fraction(1, 2**45)  # floats of a huge Y
    assert 0 <= rise <= more + hair


@pytest.mark.parametrize("rho", [1e-304, 1e-12, 1e-3, 0.5])
def test_the_asymptote_joins_the_formula(rho):
    """No step where e^Y would leave the floats, and none is reached beyond."""
    below, above = surcharge(699_999_999, rho), surcharge(700_000_001, rho)

    assert above - below in {1, 2, 3}
    far = surcharge(10**15, rho)
    assert far == pytest.approx(10**15 + 1e6 * math.log(rho), rel=1e-12)


@pytest.mark.parametrize("rho", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_a_rho_that_is_no_probability_is_refused(rho):
    """Neither certainty makes sense of Theorem 5, and there is no default."""
    with pytest.raises(ValueError, match="ρ"):
        FixedNoise(rho)


def test_a_negative_exposure_is_refused():
    """Y only grows."""
    with pytest.raises(ValueError, match="Y"):
        surcharge(-1, 0.5)


@given(
    micro=st.integers(1, 10**6), rho=st.floats(1e-6, 0.9), budget=st.integers(0, 10**7)
)
def test_max_epochs_is_where_the_budget_ends(micro, rho, budget):
    """T epochs are paid for, T + 1 are not."""
    most = max_epochs(micro, rho, budget)

    assert most == 0 or epsilon_after(micro, rho, most) <= budget
    assert epsilon_after(micro, rho, most + 1) > budget


def test_fixed_noise_keeps_its_first_draw():
    """Algorithm 5: the same ζ at every epoch."""
    assert {FixedNoise(0.1).noise_generation(t) for t in range(5)} == {0}


def test_renew_draws_at_every_epoch():
    """No epoch shares a ζ with another."""
    assert [Renew().noise_generation(t) for t in range(3)] == [0, 1, 2]


EPOCH = 7
NOISE = [
    NoiseUse("old", "old:0", Amount.pure(400), "shown"),
    NoiseUse("new", "new:0", Amount.pure(300), "lacking"),
    NoiseUse("older", "older:0", Amount.pure(500), "shown"),
]


def again(price, epoch=EPOCH):
    """One algebra that an earlier epoch has shown."""
    use = NoiseUse("g", "g:0", Amount.pure(price), "shown")
    return AlgebrasShown(epoch, (use,))


@pytest.mark.parametrize("rule", [FixedNoise(0.1), Renew()])
def test_an_epoch_that_shows_nothing_draws_and_costs_nothing(rule):
    """Whatever was shown before."""
    assert rule.due(AlgebrasShown(EPOCH, ()), Unexposed(9, 1)) == Due((), ())


@pytest.mark.parametrize("rule", [FixedNoise(0.1), Renew()])
def test_what_is_lacking_is_drawn_and_paid_by_its_name(rule):
    """And nothing else is drawn."""
    due = rule.due(AlgebrasShown(EPOCH, tuple(NOISE)), Unexposed())

    assert due.drawn == (NOISE[1],)
    assert due.charges[0] == Charge("group:new:0", "group", 300)


def test_fixed_noise_charges_once_for_all_algebras_that_it_shows_again():
    """The rise of the surcharge, under the name of the epoch."""
    due = FixedNoise(0.1).due(AlgebrasShown(EPOCH, tuple(NOISE)), Unexposed())

    surcharged = Charge("epoch:7:900", "epoch", surcharge(900, 0.1), repeats=900)
    assert due.charges[1:] == (surcharged,)


def test_renew_charges_for_what_it_draws_alone():
    """What the vault holds of this epoch was paid for when it was drawn."""
    due = Renew().due(AlgebrasShown(EPOCH, tuple(NOISE)), Unexposed())

    assert due.charges[1:] == ()


@pytest.mark.parametrize("rule", [FixedNoise(0.1), Renew()])
def test_noise_that_was_drawn_for_this_epoch_is_asked_for_by_the_same_name(rule):
    """Who paid before the answer was lost is found in the ledger; nothing is drawn."""
    use = NoiseUse("q", "q:7", Amount.pure(20), "drawn")

    due = rule.due(QueryShown(EPOCH, use, "ada", ("age",)), Unexposed())

    paid = Charge("fresh:q:7", "fresh", 20, "ada", attributes=("age",))
    assert due == Due((), (paid,))


states = st.sampled_from(["lacking", "drawn", "shown"])
uses = st.builds(
    NoiseUse,
    unit=st.sampled_from("abc"),
    name=st.sampled_from(["a:0", "b:7", "c:7.1"]),
    price=st.integers(1, 10**6).map(Amount.pure),
    state=states,
)
showings = st.one_of(
    st.builds(AlgebrasShown, st.just(EPOCH), st.lists(uses, max_size=3).map(tuple)),
    st.builds(QueryShown, st.just(EPOCH), uses, st.sampled_from(["ada", "bob"])),
)


@pytest.mark.parametrize("rule", [FixedNoise(0.1), Renew()])
@given(showing=showings, repeated=st.integers(0, 10**7), paid=st.integers(0, 10**6))
def test_draws_and_ids_do_not_depend_on_what_was_shown_before(
    rule, showing, repeated, paid
):
    """So they are known before the ledger has been read."""
    first = rule.due(showing, Unexposed())
    later = rule.due(showing, Unexposed(repeated, paid))

    assert first.drawn == later.drawn
    ids = [[charge.charge_id for charge in due.charges] for due in (first, later)]
    assert ids[0] == ids[1]


def test_theorem_5_prices_no_noise_of_another_measure():
    """It is about ε: the surcharge of some ρ would be a number of something else."""
    use = NoiseUse("g", "g:0", Amount.zcdp(400), "shown")

    with pytest.raises(MeasureMismatch):
        FixedNoise(0.1).due(AlgebrasShown(EPOCH, (use,)), Unexposed())


@given(
    epochs=st.lists(st.integers(1, 2_000_000), min_size=1, max_size=40),
    rho=st.floats(1e-6, 0.9),
)
def test_charges_telescope(epochs, rho):
    """After any epochs the ledger holds surcharge(Y), not a sum of roundings."""
    rule, ledger = FixedNoise(rho), Ledger("census", 2**50)

    for t, released in enumerate(epochs):
        [charge] = rule.due(again(released, t), ledger).charges
        assert charge.asked == epoch_charge(ledger.repeated, released, rho)
        ledger = ledger.charge(charge)

    assert ledger.spent == surcharge(sum(epochs), rho)


def test_a_raised_rho_is_made_up_for_by_the_next_epoch():
    """What the new assumption would have cost from the start is then paid."""
    paid = surcharge(10_000_000, 1e-4)

    due = FixedNoise(1e-2).due(again(100_000), Unexposed(10_000_000, paid))

    assert paid + due.charges[0].asked == surcharge(10_100_000, 1e-2)


def test_a_lowered_rho_pays_nothing_back():
    """What is spent is spent; the exposure is still written down."""
    paid = surcharge(10_000_000, 1e-2)

    due = FixedNoise(1e-4).due(again(100_000), Unexposed(10_000_000, paid))

    assert due.charges == (Charge("epoch:7:100000", "epoch", 0, repeats=100_000),)


def test_true_changes_join_the_noisy_count():
    """N_t + ζ, whole numbers."""
    shown = with_noise(np.array([5, 0]), np.array([-7, 3]))

    assert shown.tolist() == [-2, 3]
