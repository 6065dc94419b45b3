"""Continual counters: exact integers, replayed, refused rather than clipped."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sigmacount.continual import HORIZONS, LAST_TICK, ContinualNoise, Counters
from tests.core.exact_counter import (
    ExactCounter,
    correlation,
    draws,
    rounding,
    state,
)

horizons = st.sampled_from(list(HORIZONS.values()))
SHORT = HORIZONS[128]


def lived(counters: Counters, drawn: np.ndarray) -> tuple[Counters, list[np.ndarray]]:
    """The state after these ticks, int64 (ticks, n), and every u."""
    moved = []
    for each in drawn:
        moved.append(counters.step(each))
        counters = counters.absorb(moved[-1])
    return counters, moved


@settings(max_examples=60)
@given(horizons, st.lists(st.integers(-(2**36), 2**36), min_size=1, max_size=40))
def test_they_are_the_recursion_in_whole_numbers(horizon, drawn):
    """Floors included, for any draws."""
    exact = ExactCounter(horizon)

    counters, moved = lived(Counters.new(horizon, 1), np.array(drawn)[:, None])

    assert [int(u[0]) for u in moved] == [exact.tick(w) for w in drawn]
    assert state(counters) == (len(drawn), [exact.noise], [[s] for s in exact.buffers])


events = st.lists(
    st.tuples(st.integers(0, 29), st.sampled_from([-3, -2, -1, 1, 2])),
    min_size=1,
    max_size=4,
)


@settings(max_examples=40)
@given(horizons, st.lists(st.integers(-(2**9), 2**9), min_size=30, max_size=30), events)
def test_feedback_moves_by_the_correlation_and_at_most_the_rounding(
    horizon, published, happened
):
    """Lemma L1: whatever u and however many changes, |F′ − F − Σ e c| ≤ 2^m r."""
    shift = [sum(e for at, e in happened if at == t) for t in range(30)]
    c = correlation(horizon, 31)
    counters, most = Counters.new(horizon, 2), rounding(horizon)
    for t in range(30):
        counters = counters.absorb(np.array([published[t], published[t] - shift[t]]))
        one, other = counters.feedback.tolist()
        linear = sum(shift[t0] * c[t + 1 - t0] for t0 in range(t + 1))
        off = Fraction(other - one, 2**horizon.lattice_bits) + linear
        assert abs(off) <= most


@pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)
def test_a_change_moves_all_ticks_together_by_less_than_the_norm(horizon):
    """Σd² of a life of 1,000 ticks of noise, in fractions."""
    rng = np.random.default_rng(7)
    counters, shifts = Counters.new(horizon, 2), [2**horizon.lattice_bits]
    for t in range(1_000):
        u = int(rng.normal(0, 12))
        counters = counters.absorb(np.array([u, u - (t == 0)]))
        one, other = counters.feedback.tolist()
        shifts.append(one - other)

    moved = Fraction(sum(d * d for d in shifts), 4**horizon.lattice_bits)

    assert moved <= Fraction(horizon.squared_norm, 2**30)
    assert moved >= Fraction(horizon.squared_norm, 2**30) / 2


def test_whoever_holds_every_u_makes_the_state_again():
    """Bit for bit, a thousand numbers over a hundred ticks."""
    drawn = np.random.default_rng(3).integers(-(2**26), 2**26, (100, 1_000))
    counters, moved = lived(Counters.new(HORIZONS[1_024], 1_000), drawn)

    again = Counters.new(HORIZONS[1_024], 1_000)
    for u in moved:
        again = again.absorb(u)

    assert state(again) == state(counters)
    assert counters.noise.tolist() == np.sum(moved, 0).tolist()


def test_a_pause_changes_nothing():
    """Nothing decays between ticks: who comes back goes on with the same u."""
    halfway, _ = lived(Counters.new(SHORT, 3), draws(30).reshape(10, 3))
    before = state(halfway)

    once, twice = (lived(halfway, draws(60).reshape(20, 3))[1] for _ in range(2))

    assert state(halfway) == before
    assert np.array_equal(once, twice)


def test_each_number_has_a_life_of_its_own():
    """What one draws moves no other."""
    drawn = draws(60).reshape(20, 3)
    together, _ = lived(Counters.new(SHORT, 3), drawn)

    alone, _ = lived(Counters.new(SHORT, 1), drawn[:, 1:2])

    assert together.noise[1] == alone.noise[0]
    assert together.buffers[:, 1].tolist() == alone.buffers[:, 0].tolist()


@pytest.mark.parametrize("horizon", HORIZONS.values(), ids=lambda h: h.epochs)
def test_the_widest_noise_is_exact_and_the_next_power_is_refused(horizon):
    """At σ_max, with a draw of 16 standard deviations among two hundred."""
    scale = horizon.widest * 2**horizon.lattice_bits
    drawn = np.rint(np.random.default_rng(5).normal(0, scale, (200, 2))).astype("i8")
    drawn[77] = 16 * scale, -16 * scale
    exact = ExactCounter(horizon)

    _, moved = lived(Counters.new(horizon, 2), drawn)

    assert [int(u[0]) for u in moved] == [exact.tick(int(w)) for w, _ in drawn]
    ContinualNoise(horizon, float(horizon.widest))
    with pytest.raises(ValueError, match="too wide for counters"):
        ContinualNoise(horizon, 2.0 * horizon.widest)


@example([2**61] * 40)
@example([-(2**61)] * 40)
@example([2**62 - 1])
@settings(max_examples=30)
@given(st.lists(st.integers(-(2**62) + 1, 2**62 - 1), min_size=1, max_size=40))
def test_what_would_leave_int64_is_refused_and_nothing_is_clipped(drawn):
    """Up to there every bit is right; then the old state is what there is."""
    counters, exact = Counters.new(SHORT, 1), ExactCounter(SHORT)
    for w in drawn:
        before = state(counters)
        moved = exact.tick(w)
        held = [moved * gain for gain in SHORT.gains] + exact.buffers + [exact.noise]
        u = counters.step(np.array([w]))
        assert u.tolist() == [moved]
        if max(map(abs, held)) < 2**63 - 1:
            counters = counters.absorb(u)
        else:
            with pytest.raises(OverflowError, match="nothing may be clipped"):
                counters.absorb(u)
            assert state(counters) == before
            return


@pytest.mark.parametrize("drawn", [2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_a_draw_that_no_scale_gives_is_refused(drawn):
    """OpenDP stops at the ends of int64 without a word; here it is an error."""
    with pytest.raises(OverflowError, match="would leave int64"):
        Counters.new(SHORT, 1).step(np.array([drawn]))


def test_a_sum_that_wraps_around_is_refused():
    """Of a state that somebody else kept."""
    edge = np.full(1, 2**63 - 2)
    counters = Counters(SHORT, 9, edge, np.zeros((3, 1), np.int64))

    assert counters.absorb(np.array([1])).noise.tolist() == [2**63 - 1]
    with pytest.raises(OverflowError):
        counters.absorb(np.array([2]))


@pytest.mark.parametrize("held", [2**62, -(2**62), 2**63 - 1])
def test_feedback_is_exact_where_the_sum_of_the_buffers_is_not(held):
    """It is taken in two halves: three such buffers leave int64 together."""
    buffers = np.full((3, 1), held) - np.arange(3)[:, None]
    counters = Counters(SHORT, 9, np.zeros(1, np.int64), buffers)

    fed = sum(buffers[:, 0].tolist()) // 2 ** (29 - 20)

    assert counters.feedback.tolist() == [fed]


def test_the_last_tick_is_refused():
    """Sensitivity is summed over 2^26 ticks; one more would not be paid for."""
    last = replace(Counters.new(SHORT, 2), tick=LAST_TICK - 1)
    none = np.zeros(2, np.int64)

    over = last.absorb(last.step(none))

    assert over.tick == LAST_TICK == 2**26
    with pytest.raises(OverflowError, match="ends with tick 2"):
        over.step(none)
    with pytest.raises(OverflowError, match="ends with tick 2"):
        over.absorb(none)


def test_a_draw_is_one_int64_a_number():
    """Anything else is a bug of the caller."""
    for wrong in (np.zeros(2, np.int64), np.zeros(3)):
        with pytest.raises(ValueError, match="one int64 draw"):
            Counters.new(SHORT, 3).step(wrong)


def test_a_state_of_another_shape_kind_or_age_is_refused():
    """A horizon's buffers belong to it alone."""
    noise, buffers = np.zeros(2, np.int64), np.zeros((3, 2), np.int64)
    wrong = [
        (0, noise, buffers[:2]),
        (0, noise, buffers.astype(np.float64)),
        (-1, noise, buffers),
        (LAST_TICK + 1, noise, buffers),
    ]

    for each in wrong:
        with pytest.raises(ValueError, match="int64 state"):
            Counters(SHORT, *each)


def test_no_counters_tick_too():
    """A unit of nothing is empty, not an error."""
    none = Counters.new(SHORT, 0)

    assert none.absorb(none.step(np.zeros(0, np.int64))).tick == 1


def test_a_state_cannot_be_written_to():
    """A tick makes another one."""
    with pytest.raises(ValueError, match="read-only"):
        Counters.new(SHORT, 1).noise[0] = 1
