"""Guarantee: what an answer says of itself on the wire."""

import json

import pytest

from sigmacount.accounting import (
    PAPER,
    FixedNoise,
    NoiseUnit,
    Renew,
    guarantee_of_nothing,
)
from sigmacount.mechanisms import Amount


def test_fixed_noise_names_its_assumptions():
    """ρ, T, ε₀ and that changes are exact: the reader is not left to guess."""
    promise = FixedNoise(1e-3).guarantee(NoiseUnit(Amount.pure(100_000), epochs=100))

    assert promise["rule"] == "fixed-noise"
    assert promise["micro_epsilon"] == 100_000
    assert promise["rho"] == 1e-3
    assert promise["epochs"] == 100
    assert promise["epsilon_0"] == pytest.approx(3.141, abs=5e-4)
    assert promise["changes_are_exact"] is True
    assert "unchanged" in promise["protects"]


def test_renew_promises_sequential_composition():
    """T ε, and no exact change."""
    promise = Renew().guarantee(NoiseUnit(Amount.pure(100_000), epochs=3))

    assert promise["rule"] == "renew"
    assert promise["micro_epsilon_over_epochs"] == 300_000
    assert promise["changes_are_exact"] is False
    assert "rho" not in promise


@pytest.mark.parametrize("release", [FixedNoise(0.2), Renew()])
def test_the_adjacency_is_said_and_the_other_one_priced(release):
    """Adding or removing one row; replacing one costs twice as much."""
    promise = release.guarantee(NoiseUnit(Amount.pure(50_000), epochs=4))

    assert promise["adjacency"] == "add-or-remove-one-row"
    assert promise["replace_one_row_micro_epsilon"] == (
        2 * promise["micro_epsilon_over_epochs"]
    )


def test_the_composition_rule_is_named():
    """A figure without its rule means nothing."""
    assert Renew().guarantee(NoiseUnit(Amount.pure(7)))["composition"] == "parallel"
    assert (
        Renew().guarantee(NoiseUnit(Amount.pure(7), 1, PAPER))["composition"] == "paper"
    )


@pytest.mark.parametrize("rule", ["fixed-noise", "renew"])
def test_the_empty_set_costs_and_shows_nothing(rule):
    """Under any rule, over any number of epochs, and if a row may be replaced."""
    promise = guarantee_of_nothing(rule)

    costs = {value for name, value in promise.items() if "micro_epsilon" in name}
    assert costs == {0}
    assert (promise["rule"], promise["epochs"]) == (rule, 0)
    assert promise["changes_are_exact"] is False


def test_a_rule_that_nobody_knows_promises_nothing():
    """A newer version named it; what it promises cannot be said here."""
    with pytest.raises(ValueError, match="no rule is called 'newer'"):
        guarantee_of_nothing("newer")


@pytest.mark.parametrize("release", [FixedNoise(0.2), Renew()])
def test_it_is_json(release):
    """It travels in every answer."""
    promise = release.guarantee(NoiseUnit(Amount.pure(50_000), epochs=4))

    assert json.loads(json.dumps(promise)) == promise
