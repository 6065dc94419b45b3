"""`sigma check --rule continual`: what a budget promises, and how errors grow."""

from __future__ import annotations

import json

import pytest

from tests.fixtures.cli import sigma

SOUND = """\
name = "people"
[attributes.sex]
kind = "categorical"
levels = ["F", "M"]
"""


@pytest.fixture
def declared(tmp_path):
    """The path of a declaration."""
    path = tmp_path / "people.toml"
    path.write_text(SOUND)
    return path


@pytest.mark.parametrize(
    ("terms", "rated", "growth", "protected"),
    [
        (
            ("--delta", 1e-9),
            8_192,
            (1.967, 3.760, 3.998),
            "δ = 1e-09, 4 ε to one that changes at most 1 ×, 8.55 ε",
        ),
        (
            (),
            16_384,
            (4.039, 14.747, 16.157),
            "16 ε to one that changes at most 4 ×, 32 ε to one",
        ),
    ],
)
def test_under_continual_a_budget_pays_once_and_errors_grow(
    declared, terms, rated, growth, protected
):
    """The last tick of a counter ends it; a year of hours is what it is rated for."""
    terms = ("--budget", 4, "--epsilon", 0.5, "--epoch", 3600, *terms)
    asked = ("check", declared, *terms, "--rule", "continual")

    found = json.loads(sigma(*asked, "--json").out)
    told = " ".join(sigma(*asked).out.split())

    assert (found["rule"], found["rated_for"], found["epochs"]) == (
        ("continual", rated, 2**26)
    )
    assert list(found["error_factors"].values()) == pytest.approx(growth, rel=2e-3)
    assert "once, and for nothing after: 67,108,864 epochs, 7,655.6 years" in told
    assert f"× {growth[1]:.1f} on average over {rated:,}" in told
    assert protected in told
    assert "makes 730 a year: each of them is protected, its year is not" in told


def test_the_horizon_of_the_settings_is_reckoned_with(declared):
    """And a plan that is too dear is paid for not once."""
    told = sigma(
        "check",
        declared,
        "--json",
        "--epsilon",
        30,
        privacy_budget=20_000_000,
        privacy_rule="continual",
        privacy_horizon=300,
    )

    found = json.loads(told.out)
    assert (found["rated_for"], found["epochs"]) == (256, 0)
