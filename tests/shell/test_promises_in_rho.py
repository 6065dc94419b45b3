"""Promises in ρ: on the wire, of several noises together, in words, on pages."""

from __future__ import annotations

import json

import pytest

from config.settings import Settings
from sigmaclient.words import promises
from sigmacount.accounting import (
    Continual,
    FixedNoise,
    NoiseUnit,
    Renew,
    SurchargeLimits,
    guarantee_of_nothing,
    surcharge_in_zcdp,
)
from sigmacount.mechanisms import (
    Amount,
    DiscreteGaussian,
    Measure,
    micro_epsilon_of,
)
from sigmacount.release import estimate
from store.ledger.totals import Totals
from store.releases.released import Head
from streams.wire.codec import decode, encode
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.privacy import (
    ContinualZcdpGuarantee,
    FixedNoiseZcdpGuarantee,
    RenewZcdpGuarantee,
)
from views.asking import promise as shown
from views.ledger import LedgerView
from workers.answering.answers import answered, counted_nothing, promised
from workers.answering.composing import composed
from workers.catalog.promise import promise_of

DELTA, CHURN = 1e-9, 0.001
FIXED, RENEWED = FixedNoise(CHURN, delta=DELTA), Renew(delta=DELTA)
RULES = [FIXED, RENEWED]
NOISE = DiscreteGaussian.costing(10**9)
UNIT = NoiseUnit(Amount.zcdp(10**9), epochs=4)
OTHER = NoiseUnit(Amount.zcdp(5 * 10**8), epochs=2)
COUNTED = Continual(128, 10.0, delta=DELTA, changes_limit=5)
OWNED = Continual(128, 10.0, delta=DELTA, changes_limit=5, owner_rows=3)
KINDS = {
    "fixed-noise": FixedNoiseZcdpGuarantee,
    "renew": RenewZcdpGuarantee,
    "continual": ContinualZcdpGuarantee,
}
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@pytest.mark.parametrize(
    "promise",
    [
        *(rule.guarantee(UNIT) for rule in (*RULES, COUNTED, OWNED)),
        *(guarantee_of_nothing(name, DELTA) for name in KINDS),
    ],
)
def test_a_guarantee_in_rho_travels_with_every_field_under_its_tag(promise):
    """The core's words and the wire's are the same; a reader sees rule and measure."""
    said = estimate(3, 3, NOISE, 1, 0.95)
    answer = answered(said, Head(5, 1, 1_000, ()), "fresh", promised(promise))

    assert json.loads(encode(answer))["guarantee"] == promise
    read = decode(QueryAnswered, encode(answer)).guarantee
    assert type(read) is KINDS[read.rule]
    assert read.measure == "rho"


@each_rule
def test_several_noises_are_added_in_rho_and_read_as_epsilon_once(rule):
    """Less than the sum of their ε; each with the epochs that it was shown in."""
    one, two = promised(rule.guarantee(UNIT)), promised(rule.guarantee(OTHER))

    both = composed([one, two])

    assert both.pico_rho == 15 * 10**8
    assert both.epsilon == micro_epsilon_of(15 * 10**8, DELTA) / 1e6
    assert both.epsilon < one.epsilon + two.epsilon
    drawn = 15 * 10**8 if rule is FIXED else 5 * 10**9
    assert both.pico_rho_over_epochs == drawn
    assert both.replace_one_row_pico_rho == 4 * drawn
    again = surcharge_in_zcdp(drawn, 35 * 10**8, CHURN, DELTA) if rule is FIXED else 0
    over = micro_epsilon_of(drawn, DELTA) + again
    assert both.epsilon_over_epochs == over / 1e6
    assert both.delta_over_epochs == one.delta_over_epochs
    assert composed([one]) == one
    assert composed([one, None]) is None


@each_rule
def test_one_noise_twice_promises_what_a_unit_of_both_would(rule):
    """Composing is no looser than the rule itself."""
    half = promised(rule.guarantee(NoiseUnit(Amount.zcdp(10**9), epochs=3)))

    assert composed([half, half]) == promised(
        rule.guarantee(NoiseUnit(Amount.zcdp(2 * 10**9), epochs=3))
    )


@pytest.mark.parametrize("rule", [COUNTED, Continual(128, 10.0)])
def test_several_counters_promise_what_the_rule_says_of_their_sum(rule):
    """In ρ or in ε; κ is the largest of theirs, and epochs cost nothing."""
    pure = rule.delta is None
    prices = [Amount.pure(n) if pure else Amount.zcdp(n) for n in (10**5, 3 * 10**5)]
    units = [
        NoiseUnit(price, epochs, overlap=overlap)
        for price, epochs, overlap in zip(prices, (9, 4), (0.1, 0.3), strict=True)
    ]

    both = composed([promised(rule.guarantee(unit)) for unit in units])

    assert both == promised(
        rule.guarantee(NoiseUnit(prices[0] * 4, epochs=9, overlap=0.3))
    )
    nothing = promised(guarantee_of_nothing("continual", rule.delta))
    one = promised(rule.guarantee(units[0]))
    assert composed([nothing, one]) == one
    assert composed([nothing, nothing]) == nothing


@each_rule
def test_the_empty_set_is_promised_in_the_measure_of_its_dataset(rule):
    """Nothing, at its δ."""
    head = Head(5, 1, 1_000, (), about={"rule": rule.name, "delta": DELTA})

    answer = counted_nothing(head, 0.95)

    assert (answer.count, answer.guarantee.pico_rho) == (0, 0)
    assert (answer.guarantee.rule, answer.guarantee.delta) == (rule.name, DELTA)


@each_rule
def test_people_read_epsilon_delta_and_rho(rule):
    """In one line, wherever an answer is shown."""
    promise = rule.guarantee(UNIT)

    said = dict(promises(promise))

    assert f" {promise['epsilon_over_epochs']:g} ε at δ = " in said["guarantee"]
    assert f"δ = {promise['delta_over_epochs']:g}, " in said["guarantee"]
    rho = {"fixed-noise": "0.001 ρ", "renew": "0.004 ρ"}[rule.name]
    assert f"{rho} over 4 epochs" in said["guarantee"]
    assert said["guarantee"].startswith(f"{rule.name}, ")
    assert ("assuming" in said) is (rule is FIXED)


@pytest.mark.parametrize(
    ("change", "epsilon", "delta"),
    [
        ({"churn_probability": CHURN}, 1.5, 2 * DELTA),
        ({"rule": "renew"}, 1.0, DELTA),
        ({"rule": "renew", "measure": "epsilon", "delta": None}, 1.0, None),
    ],
)
def test_the_catalog_says_what_all_charges_promise(monkeypatch, change, epsilon, delta):
    """The budget at δ; with the purse of surcharges beside it, twice that δ."""
    monkeypatch.setenv("SIGMA_DATASET", "people")
    zcdp = {"budget": 10**6, "measure": "zcdp", "delta": DELTA}
    privacy = Settings.load(privacy=zcdp | change).spending()

    said = promise_of(privacy, 10.0)

    assert (said.epsilon, said.delta) == (epsilon, delta)
    assert (said.measure, said.total) == (privacy.total.measure, privacy.total.units)
    assert said.fresh == privacy.fresh


def test_what_is_promised_in_all_is_described():
    """For people: ε at δ, and the ρ that it is."""
    said = {"measure": "rho", "total": 14_972_988_235, "epsilon": 1.5, "delta": 2e-9}

    assert shown.in_all(said) == "1.5 ε at δ = 2e-09; 0.014972988235 ρ for noise"
    fixed = shown.in_all(said | {"rule": "fixed-noise-zcdp"})
    assert fixed.endswith("ρ for noise, the rest for showing it again")
    assert shown.in_all(said | {"delta": None, "measure": "epsilon"}).endswith(" ε")
    assert not shown.in_all({"measure": "epsilon"})  # an older version's


def test_the_ledger_shows_its_purses_in_their_measures():
    """ρ for noise, ε for showing it again."""
    limits = SurchargeLimits(500_000, {"fresh": 125_000}, 31_250)
    told = Totals(
        10**10, 10**9, 10**9, 1_210, {"fresh": 10**9}, {}, None, "", Measure.RHO,
        limits, {"fresh": 1_210},
    )  # fmt: skip
    view = LedgerView(told, [], intact=True)

    table = next(iter(view.parts(20)))
    columns = [list(column.cells) for column in table.columns]

    assert columns[1][0] == "0.001 ρ"
    assert ("surcharges", "0.00121 ε", "0.5 ε") in list(zip(*columns[:3], strict=True))
    plain = view.as_dict()
    assert (plain["measure"], plain["spent"]) == ("rho", 10**9)
    assert plain["surcharges"]["left"] == 500_000 - 1_210


@pytest.mark.parametrize("fewest", [1, 128])
def test_counters_together_are_rated_for_as_few_epochs_as_any_of_them(fewest):
    """And count changes from the latest epoch on; in whatever order they are said."""
    long = Continual(1_024, 10.0, delta=DELTA)
    short = Continual(fewest, 10.0, delta=DELTA, counted_from=7)
    said = [promised(rule.guarantee(UNIT)) for rule in (long, short)]

    for both in (composed(said), composed(said[::-1])):
        assert (both.horizon, both.counted_from) == (fewest, 7)
