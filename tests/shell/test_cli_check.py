"""`sigma check`: every fault of a declaration at once, or what it will cost."""

from __future__ import annotations

import json
import math

import pytest

from sigmacount.accounting import max_epochs, max_epochs_in_zcdp
from sigmacount.mechanisms import DiscreteGaussian, DiscreteLaplace, most_rho
from tests.fixtures.cli import sigma

SOUND = """\
name = "people"
[attributes.sex]
kind = "categorical"
levels = ["F", "M"]
[attributes.age]
kind = "integer"
edges = { start = 0, stop = 100, step = 10 }
[attributes.city]
kind = "categorical"
levels = ["Oslo", "Paris", "Rome"]
nullable = true
"""
FAULTY = """\
name = "no good"
[attributes.sex]
kind = "categorical"
levels = "? which ones"
nullable = "?"
[attributes.age]
kind = "? integer or what"
edges = '? where'
[attributes.city]
kind = "categorical"
level = []
"""


@pytest.fixture
def declared(tmp_path):
    """``declared(text)``: the path of a declaration."""

    def write(text):
        path = tmp_path / "people.toml"
        path.write_text(text)
        return path

    return write


def test_all_faults_are_said_at_once(declared):
    """Open questions, keys and names; exit code 2."""
    told = sigma("check", declared(FAULTY))

    assert told.code == 2
    for line in (
        "people.toml: name must be",
        "attribute 'sex': levels is an open question: which ones",
        "attribute 'sex': nullable is an open question: what is it?",
        "attribute 'age': kind is an open question: integer or what",
        "attribute 'age': edges is an open question: where",
        "attribute 'city': the key 'levels' is missing",
        "attribute 'city': the key 'level' has no meaning",
    ):
        assert line in told.err


def test_programs_get_the_faults_as_a_list(declared):
    """One text a fault, the same exit code."""
    told = sigma("check", declared(FAULTY), "--json")

    assert told.code == 2
    assert len(json.loads(told.out)["faults"]) == 7


def test_a_domain_that_is_too_large_is_a_fault(declared):
    """It names what to coarsen."""
    wide = "".join(
        f'[attributes.a{n}]\nkind = "integer"\n'
        "edges = { start = 0, stop = 100000, step = 1 }\n"
        for n in range(4)
    )

    told = sigma("check", declared('name = "wide"\n' + wide), "--json")

    assert told.code == 2
    assert "a0" in json.loads(told.out)["faults"][0]


def test_a_sound_one_is_sized_and_priced(declared):
    """Levels, cells of attributes and pairs, errors by the noise that will be drawn."""
    told = sigma("check", declared(SOUND), "--epsilon", "0.5", "--json")

    assert told.code == 0, told.err
    found = json.loads(told.out)
    assert found["cells"] == 2 * 10 * 4
    assert found["levels"] == {"sex": 2, "age": 10, "city": 4}
    assert [(p["attributes"], p["cells"]) for p in found["pairs"]] == [
        (["sex", "city"], 8),
        (["sex", "age"], 20),
        (["age", "city"], 40),
    ]
    variance = DiscreteLaplace.costing(500_000).variance
    for each in (*found["attributes"], *found["pairs"]):
        assert each["stderr"] == pytest.approx(math.sqrt(variance))
        assert each["stderr_of_all"] == pytest.approx(
            math.sqrt(each["cells"] * variance)
        )
        assert each["cost_micro_epsilon"] == 500_000
    assert found["budget_micro_epsilon"] is None


@pytest.mark.parametrize(
    ("rule", "epochs"),
    [
        (("--rule", "renew"), 100),
        (("--churn", "0.001"), max_epochs(100_000, 0.001, 10_000_000)),
    ],
)
def test_it_says_how_long_a_budget_lasts(declared, rule, epochs):
    """By the core's accounting of the rule, at one epoch a minute."""
    terms = ("--budget", 10, "--epsilon", 0.1, "--epoch", 60, *rule)
    found = json.loads(sigma("check", declared(SOUND), *terms, "--json").out)

    told = sigma("check", declared(SOUND), *terms)

    assert found["epochs"] == epochs
    assert {each["epochs"] for each in found["pairs"]} == {epochs}
    assert f"10 ε under {rule[1] if rule[0] == '--rule' else 'fixed-noise'}" in told.out
    assert f"in {epochs} epochs: {epochs / 60:.1f} hours at one every 60 s" in told.out


def test_settings_stand_in_for_options(declared):
    """As the service will run, in µε there."""
    told = sigma(
        "check",
        declared(SOUND),
        "--json",
        privacy_budget=20_000_000,
        privacy_plan_budget=2_000_000,
        privacy_rule="renew",
        privacy_composition="paper",
        curator_epoch_seconds=3600,
    )

    found = json.loads(told.out)
    assert (found["plan_micro_epsilon"], found["rule"]) == (2_000_000, "renew")
    assert (found["epochs"], found["epoch_seconds"]) == (10, 3600.0)
    assert found["pairs"][0]["cost_micro_epsilon"] == 8 * 2_000_000
    assert found["pairs"][0]["epochs"] == 1


@pytest.mark.parametrize(
    ("rule", "epochs"),
    [
        (("--rule", "renew"), most_rho(4_000_000, 1e-9) // most_rho(500_000, 1e-9)),
        (
            ("--churn", "0.001"),
            max_epochs_in_zcdp(most_rho(500_000, 1e-9), 0.001, 1e-9, 2_000_000),
        ),
    ],
)
def test_with_a_delta_it_reckons_in_rho(declared, rule, epochs):
    """Gaussian noise; what ε promises at δ; showing again from half of the ε more."""
    terms = ("--budget", 4, "--epsilon", 0.5, "--delta", 1e-9, *rule)
    found = json.loads(sigma("check", declared(SOUND), *terms, "--json").out)

    told = sigma("check", declared(SOUND), *terms)

    plan = most_rho(500_000, 1e-9)
    assert (found["plan_pico_rho"], found["delta"]) == (plan, 1e-9)
    assert found["budget_pico_rho"] == most_rho(4_000_000, 1e-9)
    assert found["attributes"][0]["stderr"] == pytest.approx(
        DiscreteGaussian.costing(plan).variance ** 0.5
    )
    assert [each["pays_from_questions"] for each in found["pairs"]] == [9, 21, 41]
    assert found["epochs"] == epochs
    assert "0.20631" in told.out
    assert "(4 ε at δ = 1e-09)" in told.out.replace("\n", " ")
    assert ("and 2 ε for showing" in told.out.replace("\n", " ")) is (
        rule[0] == "--churn"
    )


def test_settings_in_zcdp_stand_in_for_options(declared):
    """Parts in pρ; the δ of the settings."""
    told = sigma(
        "check",
        declared(SOUND),
        "--json",
        privacy_budget=1_000_000,
        privacy_measure="zcdp",
        privacy_delta=1e-9,
        privacy_plan_budget=10**9,
        privacy_churn_probability=0.001,
    )

    found = json.loads(told.out)
    assert (found["plan_pico_rho"], found["delta"]) == (10**9, 1e-9)
    assert found["budget_pico_rho"] == most_rho(1_000_000, 1e-9)


def test_people_see_one_table(declared):
    """The domain, each attribute and pair, and which options say more."""
    told = sigma("check", declared(SOUND))

    assert told.code == 0
    assert "people: 3 attributes, 16 levels, 80 cells" in told.out
    assert "sex, city" in told.out
    assert "0.1 ε" in told.out
    assert "--budget" in told.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rule", "never"), "--rule is one of fixed-noise, renew, continual"),
        (("--churn", "1"), "--churn is a probability"),
        (("--budget", "1"), "--churn"),
        (("--epsilon", "0"), "--epsilon must be"),
        (("--epsilon", "inf"), "--epsilon must be"),
        (("--delta", "1"), "--delta is a probability"),
        (("--delta", "1e-9", "--epsilon", "0.000001"), "less than 1 pρ"),
    ],
)
def test_an_option_out_of_bounds_is_refused(declared, arguments, said):
    """With exit code 2, and what it may be."""
    told = sigma("check", declared(SOUND), *arguments)

    assert told.code == 2
    assert said in told.err
