"""Algorithm 3: an algebra and draws of its own for each cluster of queries."""

import numpy as np
import pytest

from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions
from sigmacount.planner.objective import Objective
from sigmacount.planner.strategies import Disjoint
from sigmacount.release import clamp, simplex
from sigmacount.release.algorithms import grouped_sigma_counting
from sigmacount.sets import WeightedQuery, Workload
from tests.fixtures.drawn import Drawn
from tests.theorems.people import CODES, COUNTS, SCHEMA, queries, true_counts

CLUSTERS = [queries("sex = 'F'"), queries("town = 'A'", "town IN ('A', 'B')")]
ATOMS = [2, 3]  # two sexes; towns A, B and the rest


@pytest.mark.parametrize("postprocess", [clamp, simplex])
def test_without_noise_it_is_the_true_count(postprocess):
    """No cluster loses anybody."""
    answers = grouped_sigma_counting(
        CLUSTERS, CODES, COUNTS, Drawn([0] * sum(ATOMS)), postprocess
    )

    assert [each.tolist() for each in answers] == [*map(true_counts, CLUSTERS)]


def test_it_is_algorithm_2_within_each_cluster():
    """Line 5: answers are sums of the cluster's own noisy atoms."""
    noise = Drawn([3, 0, 10, 20, 40])

    by_sex, by_town = grouped_sigma_counting(CLUSTERS, CODES, COUNTS, noise)

    (women,), (in_a, in_a_or_b) = map(true_counts, CLUSTERS)
    assert by_sex.tolist() == [women + 3]
    assert by_town.tolist() == [in_a + 10, in_a_or_b + 30]


def test_one_query_in_two_clusters_has_two_answers():
    """Why Algorithm 4 must choose by the query alone."""
    twice = [queries("sex = 'F'")] * 2

    (first,), (second,) = grouped_sigma_counting(
        twice, CODES, COUNTS, Drawn([5, 0, 90, 0])
    )

    assert second - first == 85


def test_attributes_asked_together_share_a_cluster():
    """Lines 1 and 2: clusters follow 1_A (equation 10), whatever the levels asked."""
    together = queries(
        "sex = 'F' AND age >= 40", "sex = 'M' AND age < 20", "sex = 'M' AND age >= 60"
    )
    log = [WeightedQuery(query, 500.0) for query in [*together, *queries("town = 'A'")]]
    demand = Workload.of(SCHEMA, log)

    terms = PlanOptions(
        Amount.pure(10**6), DiscreteLaplace.costing(20_000), max_atoms=10
    )  # all three together have 16

    clusters = Disjoint().clusters(
        Objective.of(demand, terms), np.random.default_rng(1)
    )

    named = [
        {i for j, i in enumerate(demand.attributes) if mask >> j & 1}
        for mask in clusters
    ]
    assert sorted(named, key=len) == [{2}, {0, 1}]
    assert (together[0].vector == together[1].vector).all()
