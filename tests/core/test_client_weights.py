"""Client weights: nobody outweighs the others; the oracle is the condition itself.

Condition: w ≤ c/(1−c) · (the others' weights), for every client at once. Maximal: it
breaks as soon as those who were cut weigh any more. Found by a search, not solved.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.sets import capped_weights

SLACK = 1e-9  # floats: relative
counts = st.one_of(st.integers(1, 20), st.integers(1, 10**6))
clients = st.lists(counts, min_size=1, max_size=12)
caps = st.floats(0.02, 1.0)


def named(counts):
    """Clients that asked so often."""
    return {f"c{n}": count for n, count in enumerate(counts)}


def holds(weights, cap):
    """Whether every client has at most ``cap`` of all, held against the others."""
    return all(
        mine * (1 - cap) <= cap * sum(others) * (1 + SLACK)
        for mine, others in (
            (weights[i], weights[:i] + weights[i + 1 :]) for i in range(len(weights))
        )
    )


def cut(counts, level):
    """Nobody weighs more than the level."""
    return [min(float(count), level) for count in counts]


@given(counts=clients, cap=caps)
def test_the_cap_holds_and_nobody_is_cut_more_than_it_asks(counts, cap):
    """Raised by a millionth, the level is above what the condition allows."""
    weights = list(capped_weights(named(counts), cap).values())

    if len(counts) * cap < 1:  # whatever they weigh, one of them has more than the cap
        assert weights == pytest.approx([min(counts)] * len(counts))
        return
    assert holds(weights, cap)
    top = max(weights)
    assert weights == pytest.approx(cut(counts, top))
    assert top == pytest.approx(max(counts)) or not holds(
        cut(counts, top * (1 + 1e-6)), cap
    )


@given(counts=st.lists(st.integers(1, 6), min_size=4, max_size=6))
def test_no_whole_level_above_it_would_do(counts):
    """Every level in steps of a hundredth is tried, at a cap of a quarter."""
    weights = list(capped_weights(named(counts), 0.25).values())

    levels = [step / 100 for step in range(100 * max(counts) + 1)]
    best = max(level for level in levels if holds(cut(counts, level), 0.25))
    assert max(weights) == pytest.approx(best, abs=0.01)


@given(counts=clients, cap=caps, more=st.integers(1, 10**6))
def test_who_asks_more_never_makes_another_weigh_less(counts, cap, more):
    """And once it is cut, asking more often changes nothing at all."""
    before = capped_weights(named(counts), cap)
    after = capped_weights(named([counts[0] + more, *counts[1:]]), cap)

    assert all(after[c] >= before[c] * (1 - SLACK) for c in before)
    if before["c0"] < counts[0]:
        assert after == pytest.approx(before)


def test_a_million_questions_beside_small_others_have_the_capped_share():
    """What used to keep nearly all of the log."""
    weights = capped_weights({"loud": 10**6} | {f"c{n}": 10 for n in range(9)}, 0.25)

    assert weights["loud"] / sum(weights.values()) == pytest.approx(0.25)
    assert weights["c0"] == 10


def test_two_loud_clients_do_not_lift_each_other():
    """Each is held against the others, of which the other loud one is cut as well."""
    weights = capped_weights(
        {"a": 10**6, "b": 10**9} | {f"c{n}": 1 for n in range(8)}, 0.25
    )

    total = sum(weights.values())
    assert weights["a"] == weights["b"] == pytest.approx(0.25 * total)


def test_a_client_alone_is_not_capped():
    """There is nobody to be held against."""
    assert capped_weights({"ada": 7}, 0.25) == {"ada": 7.0}


def test_among_fewer_than_the_cap_allows_all_weigh_the_same():
    """Two clients cannot both have a quarter; half is the least the larger can have."""
    assert capped_weights({"ada": 10**6, "bob": 3}, 0.25) == {"ada": 3.0, "bob": 3.0}


def test_who_asked_nothing_is_nobody():
    """A forged or empty record is no client beside which others look small."""
    weights = capped_weights({"ada": 5, "bob": 0, "eve": -100}, 0.25)

    assert weights == {"ada": 5.0, "bob": 0.0, "eve": 0.0}
    assert capped_weights({}, 0.25) == {}


@pytest.mark.parametrize("cap", [0.0, -0.5, 1.5])
def test_a_cap_that_is_no_share_is_refused(cap):
    """The operator mends the setting."""
    with pytest.raises(ValueError, match="share"):
        capped_weights({"ada": 1}, cap)


def test_equal_clients_at_the_edge_of_the_cap_are_not_cut():
    """Four of them have a quarter each, whatever floats make of it; so have 3 and 7."""
    for n, times in itertools.product((3, 4, 7, 49), (1, 3, 10**6)):
        weights = capped_weights(named([times] * n), 1 / n)
        assert list(weights.values()) == pytest.approx([times] * n)
