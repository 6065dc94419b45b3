"""Noise pool: one number, one unit; repeated acts change nothing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.mechanisms import NoisePool

units = st.lists(st.sampled_from("abcdefgh"), max_size=4)
# An act: units are given numbers, so many times; then the store keeps them, or not.
acts = st.lists(st.tuples(units, st.integers(1, 3), st.booleans()), max_size=12)


def filled(size):
    """Numbers that are never the same twice."""
    pool = NoisePool()
    pool.add(range(size))
    return pool


@given(acts=acts)
def test_no_number_serves_two_units_and_no_unit_two_numbers(acts):
    """Whatever is repeated, in any order; a unit that is kept never asks again."""
    pool, seen, kept = filled(100), {}, set()

    for named, times, stored in acts:
        wanted = [unit for unit in named if unit not in kept]
        for _ in range(times):
            for unit, number in pool.assign(wanted).items():
                assert seen.setdefault(unit, number) == number
        if stored:
            pool.forget(wanted)
            kept |= set(wanted)

    assert len(set(seen.values())) == len(seen)
    assert len(pool) == 100 - len(seen)


def test_the_oldest_number_goes_first():
    """So that a draw is never the next to be given."""
    pool = filled(2)
    pool.add([7])

    given = list(itertools.chain(*(pool.assign([u]).values() for u in "abc")))

    assert given == [0, 1, 7]


def test_a_unit_that_is_named_twice_is_one():
    """Two spellings of a question in one batch."""
    pool = filled(1)

    assert pool.assign(["a", "a"]) == {"a": 0}


def test_too_few_numbers_are_refused_before_one_is_given():
    """Nothing is drawn here: who waits for a draw would learn how long it took."""
    pool = filled(1)

    with pytest.raises(ValueError, match="2 units want noise, 1 were drawn ahead"):
        pool.assign(["a", "b"])

    assert len(pool) == 1


def test_what_is_forgotten_is_not_given_back():
    """The store may hold it; shown twice, it would cancel in a difference."""
    pool = filled(2)
    pool.assign(["a"])

    pool.forget(["a", "b"])

    assert (len(pool), pool.assign(["b"])) == (1, {"b": 1})
