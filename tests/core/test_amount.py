"""Amounts are whole units of one privacy measure, and two measures never mix."""

import math
import operator
import pickle
from fractions import Fraction
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import MeasureMismatch
from sigmacount.mechanisms import (
    MICRO,
    MOST_UNITS,
    Amount,
    Measure,
    as_epsilon,
    as_micro,
)

FULL = math.isqrt(2 * MOST_UNITS)  # the most µε that count as less than 2^53 pico-ρ
measures = st.sampled_from(Measure)
units = st.integers(0, MOST_UNITS // 2)
COMBINED = [
    operator.add,
    operator.sub,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


@given(measures, units, units)
def test_amounts_of_one_measure_add_up(measure, one, other):
    """Exactly, as their units do, and back again."""
    total = Amount(measure, one) + Amount(measure, other)

    assert total == Amount(measure, one + other)
    assert total - Amount(measure, other) == Amount(measure, one)


@given(measures, units, units)
def test_amounts_of_one_measure_are_ordered_as_their_units(measure, one, other):
    """All four comparisons."""
    left, right = Amount(measure, one), Amount(measure, other)

    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        assert compare(left, right) is compare(one, other)


@given(measures, st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_amount_is_charged_several_times(measure, one, times):
    """From either side of the sign."""
    paid = Amount(measure, one * times)

    assert times * Amount(measure, one) == Amount(measure, one) * times == paid


@pytest.mark.parametrize("combine", COMBINED)
@pytest.mark.parametrize("turned", [False, True])
def test_amounts_of_two_measures_do_not_mix(combine, turned):
    """Neither sum nor comparison; the error says how the one is charged."""
    pair = [Amount.pure(5), Amount.zcdp(5)]

    with pytest.raises(MeasureMismatch, match="charged_in") as refusal:
        combine(*(reversed(pair) if turned else pair))

    assert {refusal.value.measure, refusal.value.other} == {"epsilon", "rho"}


def test_equal_numbers_of_two_measures_are_not_equal():
    """They may be keys of one table and stay two."""
    assert Amount.pure(5) != Amount.zcdp(5)
    assert len({Amount.pure(5), Amount.zcdp(5), Amount.pure(5)}) == 2


@given(st.integers(0, FULL))
def test_a_pure_charge_counts_as_half_its_square_and_never_as_less(e):
    """ρ = ε²/2 rounded up to the next pico-ρ, in exact arithmetic."""
    exact = Fraction(e, MICRO) ** 2 / 2 * 10**12

    charged = Amount.pure(e).charged_in(Measure.RHO)

    assert charged.measure is Measure.RHO
    assert exact <= charged.units < exact + 1


@pytest.mark.parametrize(
    ("micro", "pico"),
    [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 5),
        (100_000, 5_000_000_000),
        (MICRO, 500_000_000_000),
        (999_999, 499_999_000_001),
    ],
)
def test_golden_charges(micro, pico):
    """ε = 1 is ρ = 1/2; ε = 0.1 is ρ = 0.005; odd numbers are rounded up."""
    assert Amount.pure(micro).charged_in(Measure.RHO) == Amount.zcdp(pico)


@given(st.integers(0, FULL), st.integers(0, FULL))
def test_a_larger_pure_charge_never_counts_as_less(one, other):
    """Monotone, so a refusal in one measure is none in the other by accident."""
    small, large = sorted((Amount.pure(one), Amount.pure(other)))

    assert small.charged_in(Measure.RHO) <= large.charged_in(Measure.RHO)


@given(measures, units)
def test_a_ledger_of_its_own_measure_charges_an_amount_as_it_is(measure, one):
    """Nothing is rounded where nothing is converted."""
    assert Amount(measure, one).charged_in(measure) == Amount(measure, one)


def test_rho_is_never_charged_to_a_ledger_of_pure_epsilon():
    """Not even none of it: zCDP promises no pure ε."""
    with pytest.raises(MeasureMismatch, match="no pure epsilon"):
        Amount.zcdp(0).charged_in(Measure.EPSILON)


def test_a_pure_charge_that_no_ledger_of_rho_holds_is_refused():
    """134 ε are still held, one µε more than fits is not."""
    assert Amount.pure(FULL).charged_in(Measure.RHO).units <= MOST_UNITS
    with pytest.raises(ValueError, match="pρ in"):
        Amount.pure(FULL + 1).charged_in(Measure.RHO)


@pytest.mark.parametrize("wrong", [-1, MOST_UNITS + 1, 1.0, True, "1", None])
def test_an_amount_is_a_whole_number_below_2_to_the_53(wrong):
    """The last integer that Lua keeps exact is the last that is held."""
    with pytest.raises(ValueError, match="whole number of µε"):
        Amount.pure(wrong)


@pytest.mark.parametrize(
    "leave",
    [
        lambda: Amount.pure(1) - Amount.pure(2),
        lambda: Amount.pure(MOST_UNITS) + Amount.pure(1),
        lambda: Amount.pure(MOST_UNITS) * 2,
        lambda: Amount.pure(1) * -1,
        lambda: Amount.pure(1) * 0.5,
    ],
)
def test_no_sum_leaves_the_range(leave):
    """A debt, an overflow or half a unit is a bug of the caller."""
    with pytest.raises(ValueError, match="whole number"):
        leave()


def test_people_read_the_unit():
    """In errors and logs of people who hold both kinds of ledger."""
    assert str(Amount.pure(100_000)) == "100000 µε"
    assert str(Amount.zcdp(7)) == "7 pρ"


def test_people_read_a_price_in_the_unit_that_they_type():
    """Messages take whole µε, terminals ε."""
    assert Amount.pure(59_313).in_both == "59313 µε (0.059313 ε)"
    assert Amount.pure(100_000_000).in_both == "100000000 µε (100 ε)"
    assert Amount.zcdp(7).in_both == "7 pρ (0.000000000007 ρ)"
    assert Amount.pure(0).in_both == "0 µε"


def test_an_amount_leaves_as_micro_epsilon_only_if_it_is_epsilon():
    """On the wire, in a ledger of ε, in predictions: never a number of another unit."""
    assert (Amount.pure(100_000).micro_epsilon, Amount.pure(100_000).epsilon) == (
        100_000,
        0.1,
    )
    for leave in (attrgetter("micro_epsilon"), attrgetter("epsilon")):
        with pytest.raises(MeasureMismatch):
            leave(Amount.zcdp(100_000))


@given(st.floats(1e-5, 1e5))
def test_micro_rounds_towards_spending_less(value):
    """Never more than was meant, beyond the last digit of the float itself."""
    assert as_micro(value) <= value * MICRO + 1e-6
    assert as_micro(value) > value * MICRO - 1.001


def test_whole_numbers_of_micro_epsilon_survive_the_way_there_and_back():
    """0.1 ε is 100,000 µε, although 0.1 is no binary fraction."""
    assert as_micro(0.1) == 100_000
    assert as_epsilon(100_000) == 0.1


@pytest.mark.parametrize("value", [0.0, -1.0, 9e-7, math.inf, math.nan])
def test_a_budget_that_is_none_is_refused(value):
    """It would be no promise, or an endless one."""
    with pytest.raises(ValueError, match="ε must be finite and at least"):
        as_micro(value)


def test_it_survives_pickling():
    """With its measure, which is compared by identity."""
    copy = pickle.loads(pickle.dumps(Amount.zcdp(7)))  # noqa: S301 - our own bytes

    assert copy + Amount.zcdp(1) == Amount.zcdp(8)


def test_a_word_of_the_wire_is_its_measure():
    """Not another measure of the same name; what is no measure is refused."""
    written = Amount("rho", 7)

    assert written == Amount.zcdp(7)
    assert written + Amount.zcdp(1) == Amount.zcdp(8)
    assert written.charged_in("rho") == written
    with pytest.raises(ValueError, match="bogus"):
        Amount("bogus", 1)
    with pytest.raises(ValueError, match="bogus"):
        written.charged_in("bogus")
