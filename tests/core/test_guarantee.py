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
from sigmacount.mechanisms import Amount, micro_epsilon_of, most_rho


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


WHOLE, DELTA = most_rho(10**6, 1e-9), 1e-9  # 1 ε at δ


def test_a_promise_in_rho_says_epsilon_and_delta():
    """ρ, what it promises at δ, and over all epochs; each rounded up to µε."""
    unit = NoiseUnit(Amount.zcdp(WHOLE), epochs=5)

    promise = Renew(delta=DELTA).guarantee(unit)

    assert (promise["rule"], promise["measure"]) == ("renew-zcdp", "rho")
    assert (promise["pico_rho"], promise["epsilon"]) == (WHOLE, 1.0)
    assert promise["pico_rho_over_epochs"] == 5 * WHOLE
    over = micro_epsilon_of(5 * WHOLE, DELTA) / 1e6
    assert promise["epsilon_over_epochs"] == over == pytest.approx(2.3289, abs=1e-4)
    assert promise["delta"] == promise["delta_over_epochs"] == DELTA
    assert promise["replace_one_row_pico_rho"] == 20 * WHOLE
    assert promise["replace_one_row_epsilon"] == (
        micro_epsilon_of(20 * WHOLE, DELTA) / 1e6
    )
    assert promise["changes_are_exact"] is False
    assert "whole history" in promise["protects"]


def test_fixed_noise_in_rho_promises_theorem_5():
    """Drawn once in ρ; ε₀(50) = 1.79, at twice δ; and what is exact."""
    unit = NoiseUnit(Amount.zcdp(WHOLE), epochs=50, composition=PAPER)

    promise = FixedNoise(1e-3, delta=DELTA).guarantee(unit)

    assert (promise["rule"], promise["composition"]) == ("fixed-noise-zcdp", "paper")
    assert promise["pico_rho_over_epochs"] == WHOLE
    assert promise["epsilon_over_epochs"] == pytest.approx(1.79, abs=5e-3)
    assert promise["delta_over_epochs"] == 2 * DELTA
    assert promise["replace_one_row_epsilon"] > 2 * promise["epsilon_over_epochs"]
    assert promise["churn"] == 1e-3
    assert promise["changes_are_exact"] is True


def test_pure_noise_is_promised_in_the_measure_of_its_dataset():
    """Half its square in ρ."""
    promise = Renew(delta=DELTA).guarantee(NoiseUnit(Amount.pure(100)))

    assert promise["pico_rho"] == 5_000


@pytest.mark.parametrize("rule", ["fixed-noise", "renew"])
def test_the_count_of_no_row_costs_nothing_in_rho_either(rule):
    """Every row is protected, whatever the rule."""
    promise = guarantee_of_nothing(rule, DELTA)

    assert promise["rule"] == f"{rule}-zcdp"
    assert (promise["pico_rho"], promise["epsilon"]) == (0, 0)
    assert "every row" in promise["protects"]
    with pytest.raises(ValueError, match="no rule"):
        guarantee_of_nothing("other", DELTA)
