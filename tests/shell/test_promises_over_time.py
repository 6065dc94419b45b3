"""Statements of the rule `continual`: in answers, in the catalog, and in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config.declarations import datasets
from config.settings import Settings
from sigmaclient import DatasetSchema
from sigmaclient.words import promises
from sigmacount.accounting import Continual, Era, NoiseUnit, in_era
from sigmacount.mechanisms import Amount, micro_epsilon_of, most_rho
from views.asking import schema as shown
from workers import clients
from workers.answering.answers import promised
from workers.answering.composing import composed
from workers.catalog import catalog_of, evolving_rule, promise_of

DELTA, HOUR = 1e-9, 3_600.0
PRICE = Amount.zcdp(most_rho(1_000_000, DELTA))
RULE = Continual(8_192, HOUR, delta=DELTA)
OWNED = replace(RULE, changes_limit=6, owner_rows=2)
LOST = Era("continual", 17, 1_024, counted_from=17)


@pytest.fixture
def privacy(monkeypatch):
    """``privacy(measure)``: settings of the rule, 4 ε in all."""
    monkeypatch.setenv("SIGMA_DATASET", "people")

    def load(measure="zcdp", **more):
        said = {"budget": 4_000_000, "rule": "continual", "measure": measure} | more
        said |= {"delta": DELTA} if measure == "zcdp" else {}
        return Settings.load(privacy=said).spending()

    return load


def flat(table):
    """The cells of a table for people, as one text."""
    return " ".join(str(c) for column in table.columns for c in column.cells)


def test_an_answer_says_what_each_number_of_changes_is_protected_by():
    """(ε, δ) and ρ of one; the clock, the horizon, and whom it covers."""
    said = dict(promises(RULE.guarantee(NoiseUnit(PRICE, epochs=40, overlap=0.0))))

    assert said["guarantee"] == (
        "continual, 1 ε at δ = 1e-09, 0.014973057673 ρ for all epochs,"
        " one change of one row"
    )
    assert said["a row's changes"] == (
        "at most 1 × 1 ε, 2 × 1.437 ε, 4 × 2.07 ε, 8 × 2.989 ε at δ = 1e-09"
    )
    assert said["counted by"].endswith("rated for 8,192 epochs, one every 3600 s")
    assert "every day" in said["protects"]
    assert not {"assuming", "beware", "lost", "counted are"} & set(said)


def test_in_pure_epsilon_changes_add_up_and_no_delta_is_said():
    """M changes of a row cost m times the price."""
    rule = Continual(1_024, 10.0, changes_limit=3)

    said = dict(promises(rule.guarantee(NoiseUnit(Amount.pure(250_000)))))

    assert said["guarantee"].startswith("continual, 0.25 ε for all epochs")
    assert "2 × 0.5 ε, 3 × 0.75 ε, 4 × 1 ε" in said["a row's changes"]
    assert "δ" not in said["a row's changes"]
    assert said["counted are"] == "the first 3 changes of a row"


def test_what_was_counted_as_lost_is_said_in_every_answer():
    """With the horizon that the ledger pins, whatever the settings say."""
    rule = in_era(RULE, LOST)

    said = dict(promises(rule.guarantee(NoiseUnit(PRICE))))

    assert (rule.era, rule.horizon, rule.counted_from) == (17, 1_024, 17)
    assert said["lost"] == "what was shown before epoch 17, when changes were exact"
    assert "rated for 1,024 epochs" in said["counted by"]


def test_the_rule_is_made_of_the_settings_and_of_the_clock(privacy):
    """A year of epochs, unless a horizon is named."""
    assert evolving_rule(privacy(), HOUR) == RULE
    assert evolving_rule(privacy("epsilon"), HOUR) == Continual(16_384, HOUR)
    limited = evolving_rule(privacy(changes_limit=6), HOUR)
    assert limited == replace(RULE, changes_limit=6)
    owned = evolving_rule(privacy(changes_limit=6, owner_rows=2), HOUR)
    assert owned == replace(RULE, changes_limit=6, owner_rows=2)


def test_an_answer_and_the_catalog_say_what_an_owner_of_several_rows_is_promised(
    privacy,
):
    """For all rows and changes together, at the δ of the rest."""
    said = dict(promises(OWNED.guarantee(NoiseUnit(PRICE, epochs=40, overlap=0.0))))
    over_time = promise_of(privacy(changes_limit=6, owner_rows=2), HOUR).over_time

    epsilon = micro_epsilon_of(2 * 12 * PRICE.units, DELTA) / 1e6
    assert said["of one owner"] == (
        f"at most 2 rows and 12 changes in all: {epsilon:.4g} ε"
    )
    assert (over_time.owner.rows, over_time.owner.changes) == (2, 12)
    assert over_time.owner.epsilon > over_time.epsilon_by_changes["6"]
    assert over_time.changes_limit == 6


def test_answers_of_several_units_promise_an_owner_what_one_would():
    """Composed in the measure, and read as ε once."""
    half, whole = (OWNED.guarantee(NoiseUnit(PRICE * n)) for n in (1, 2))

    both = composed([promised(half), promised(half)])

    assert both.owner == promised(whole).owner


def test_counters_read_how_many_rows_an_owner_may_have(monkeypatch):
    """In the group of the budget; without that there is no bound."""
    monkeypatch.setenv("SIGMA_DATASET", "people")
    privacy = {"budget": 10**6, "rule": "continual", "changes_limit": 4}
    settings = Settings.load(privacy=privacy | {"owner_rows": 3})

    assert clients.rows_reading(settings).owner_rows == 3
    assert clients.rows_reading(Settings.load()).owner_rows is None


def test_the_catalog_says_what_the_whole_budget_promises_a_row_that_changes(privacy):
    """With the largest κ there is, since no plan is made yet."""
    said = promise_of(privacy(), HOUR)

    assert (said.rule, said.adjacency) == ("continual", "one change of one row")
    assert (said.epsilon, said.delta, said.changes_are_exact) == (4.0, DELTA, False)
    assert said.over_time.horizon == 8_192
    by_changes = said.over_time.epsilon_by_changes
    assert list(by_changes) == ["1", "2", "4", "8"]
    assert by_changes["1"] == pytest.approx(4, abs=1e-5)
    assert by_changes["2"] == pytest.approx(8.55, abs=0.01)


def test_it_says_so_of_the_era_in_force_alone(privacy):
    """That of another rule is over once the curators start."""
    lost = promise_of(privacy(), HOUR, LOST).over_time
    other = promise_of(privacy(), HOUR, Era("renew", 3, counted_from=2)).over_time

    assert (lost.horizon, lost.counted_from) == (1_024, 17)
    assert (other.horizon, other.counted_from) == (8_192, None)


def test_it_is_described_in_words(privacy):
    """As `sigma describe` shows it, and to programs as it travels."""
    promise = promise_of(privacy(), HOUR, LOST)
    made = DatasetSchema.of(catalog_of(datasets.load("people"), promise))

    [table] = shown.promise(made)

    told = flat(table)
    for said in (
        "continual, one change of one row",
        "4 ε at δ = 1e-09; 0.206312909229 ρ for noise",
        "at most 1 × 4 ε, 2 × 8.5",
        "rated for 1,024 epochs, one every 3600 s",
        "before epoch 17",
        "every day",
    ):
        assert said in told
    assert made.promise["over_time"]["counted_from"] == 17
