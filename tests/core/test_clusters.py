"""Attributes asked together lie together, in clusters that are not too large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.language import parse
from sigmacount.planner.clusters import balanced, packed, together
from sigmacount.planner.objective import Objective
from sigmacount.sets import WeightedQuery, Workload
from tests.core.priced import options
from tests.core.tiny import SCHEMA, logs

limits = st.integers(4, 50)


def objective(log, **terms):
    """The objective of a log."""
    return Objective.of(Workload.of(SCHEMA, log), options(10**6, 20_000, **terms))


PAIRS = [
    WeightedQuery(parse(SCHEMA, "a = 'a0' AND d = 'd0'"), 5.0),
    WeightedQuery(parse(SCHEMA, "b = 'b0' AND c = 'c0'"), 5.0),
    WeightedQuery(parse(SCHEMA, "a = 'a0' AND b = 'b0'"), 1.0),
]


def test_the_vertical_split_follows_what_is_asked_together():
    """Attributes a and d, and b and c: the pairs of the log."""
    assert set(balanced(objective(PAIRS), 2)) == {0b1001, 0b0110}


def test_how_often_two_attributes_are_asked_together():
    """Shares of the log, by pair."""
    shared = together(objective(PAIRS))

    assert np.allclose(shared[0] * 11, [6, 1, 0, 5])
    assert (shared == shared.T).all()


@given(log=logs, count=st.integers(1, 5), limit=limits)
def test_each_attribute_lies_in_one_table(log, count, limit):
    """Disjoint, complete, and none beyond the limit."""
    given_log = objective(log, max_atoms=limit)

    clusters = balanced(given_log, count)

    assert sum(clusters) == given_log.everything
    assert np.bitwise_or.reduce(clusters) == given_log.everything
    assert max(map(given_log.volume, clusters)) <= limit


def test_a_cluster_is_as_close_as_its_members_on_average():
    """Attribute a is asked with b and c, which have joined, more than with d."""
    pairs = {"bc": 10.0, "ab": 3.0, "ac": 3.0, "ad": 2.0}
    log = [
        WeightedQuery(parse(SCHEMA, f"{x} = '{x}0' AND {y} = '{y}0'"), weight)
        for (x, y), weight in pairs.items()
    ]

    assert sorted(balanced(objective(log, max_atoms=8), 1)) == [0b0111, 0b1000]


def test_attributes_never_asked_together_stay_apart():
    """Joining them would cost atoms and answer nothing."""
    alone = [WeightedQuery(parse(SCHEMA, text)) for text in ("a = 'a0'", "b = 'b0'")]

    assert sorted(balanced(objective(alone), 1)) == [1, 2]


@given(log=logs, limit=limits, room=limits, most=st.integers(1, 3))
def test_packed_clusters_stay_within_all_limits(log, limit, room, most):
    """Of one cluster, of all together, and of their number."""
    given_log = objective(log, max_total_atoms=room, max_groups=most)

    clusters = packed(given_log, limit)

    assert all(given_log.volume(cluster) <= limit for cluster in clusters)
    assert sum(map(given_log.volume, clusters)) <= room
    assert len(clusters) <= most


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_clusters_are_packed_than_there_may_be(most):
    """Two pairs of attributes need two clusters of four atoms; one may be too many."""
    given_log = objective(PAIRS[:2], max_groups=most)

    assert len(packed(given_log, 4)) == min(most, 2)


@given(log=logs)
def test_with_room_enough_every_shape_is_packed(log):
    """Nothing is left fresh."""
    given_log = objective(log)

    clusters = packed(given_log, 10**6)

    held = [given_log.holds(cluster) for cluster in clusters]
    assert np.logical_or.reduce(held).all() or not len(given_log.masks)
