"""Algorithm 3: an algebra and draws of its own for each cluster of queries."""

import pytest

from sigmacount.counting import grouped_sigma_counting
from sigmacount.postprocess import clamp, simplex
from tests.fixtures.drawn import Drawn
from tests.theorems.people import CODES, COUNTS, queries, true_counts

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
