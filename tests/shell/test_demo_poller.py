"""The demo's poller: an attack that works, and that no rule's promise is above.

4,000 games at 8 ε, δ = 1e-9. A share is further than 0.05 from its expectation with
probability ≤ 5e-9 (Hoeffding), which is the false alarm of each line. Noise of half
the scale would be guessed right in 0.88 of the games under `continual` and not in
0.73, and is missed with ≤ 1e-30.
"""

import numpy as np
import pytest

from cli.demo.outcome import poller
from cli.demo.outcome.poller import Games
from sigmacount.mechanisms import Amount, most_rho

PRICE = Amount.zcdp(most_rho(8_000_000, 1e-9))
LOOKS, OFF = 10, 0.05


@pytest.fixture(scope="module")
def played():
    """By rule."""
    return {each.rule: each for each in Games.of(PRICE).played(LOOKS)}


def test_under_fixed_noise_every_guess_is_right(played):
    """The first look tells all."""
    told = played["fixed-noise"]

    assert told[1:] == (1.0, 1.0, 1.0, PRICE)


def test_under_renew_each_look_tells_more_and_is_paid_for(played):
    """One look as much as its price allows, all of them as much as theirs."""
    told = played["renew"]

    assert abs(told.once - poller.most_right(PRICE.units)) < OFF
    assert told.once < told.often < told.most + OFF
    assert told.paid == PRICE * (LOOKS + 1)


def test_under_continual_all_looks_together_tell_no_more_than_one_price(played):
    """And nearly as much: it is the best attack there is."""
    told = played["continual"]

    assert told.most - 0.02 - OFF < told.often < told.most + OFF
    assert 0.5 + OFF < told.once < told.often
    assert told.paid == PRICE


def test_the_bound_catches_a_counter_with_half_the_noise(monkeypatch):
    """Four times the price that is said."""
    costing = poller.ContinualNoise.costing
    monkeypatch.setattr(
        poller.ContinualNoise,
        "costing",
        lambda horizon, units: costing(horizon, 4 * units),
    )

    told = Games.of(PRICE).counted(LOOKS)

    assert told.often > told.most + OFF


def test_the_moves_of_an_event_are_the_weights_of_the_horizon():
    """Their squares sum up to less than the squared norm, and in time to nearly it."""
    horizon = poller.horizon_for(128)

    moves = poller.moves(horizon, 2_000)

    norm = horizon.squared_norm / 2**30
    assert moves[0] == 1
    assert (np.diff(moves) < 0).all()
    assert 0.999 * norm < (moves**2).sum() < norm


@pytest.mark.parametrize("wrong", [(PRICE, 0), (Amount.pure(1), 1)])
def test_a_game_that_nobody_could_play_is_refused(wrong):
    """Nobody looks, or the noise has no price in ρ."""
    price, looks = wrong

    with pytest.raises(ValueError, match="at least once"):
        Games.of(price).played(looks)
