"""Do shares, medians and top rows of a noisy table hold as often as they say?"""

import pytest

from sigmaclient import CountTable, Row
from sigmacount.mechanisms import DiscreteLaplace
from tests.statistics import coins

N, ALPHA, CONFIDENCE = 16_000, 1e-9, 0.95
MICRO_EPSILON = 200_000
TRUTH = (10, 60, 95, 100, 90, 40, 20, 0)
MEDIAN = "b3"  # 265 of 415 rows lie in the first four bins, 165 in the first three
LARGEST = {"b2", "b3", "b4"}


def noisy(noise, half):
    """A table as the service would answer it: counts never negative."""
    rows = []
    for i, (true, drawn) in enumerate(zip(TRUTH, noise, strict=True)):
        sum_ = true + drawn
        count = max(0, sum_)
        joint = (max(0, min(sum_ - half, count)), max(sum_ + half, count))
        rows.append(Row((f"b{i}",), count, 1.0, joint, joint))
    return CountTable(("age",), tuple(rows), len(rows), CONFIDENCE)


def holds(table):
    """Every statement about this table is true of the true counts, at once."""
    total = sum(TRUTH)
    pairs = zip(table.shares(), TRUTH, strict=True)
    shares = all(s.interval[0] <= t / total <= s.interval[1] for s, t in pairs)
    top = table.top(3)
    certain = {row.label for row in top.certain}
    possible = {row.label for row in top.possible}
    median = MEDIAN in table.median().bins
    return shares and median and certain <= LARGEST <= possible


@pytest.mark.statistical
@pytest.mark.parametrize(("width", "accepted"), [(1.0, True), (0.4, False)])
def test_what_follows_from_a_table_holds_all_together(draws, width, accepted):
    """
    2 000 tables of 8 rows, their joint intervals by Bonferroni.
    False alarm: ≤ 1e-9 a row (one-sided Chernoff at n = 2 000).
    Missed fault: ≤ 1e-9 for statements that hold 87 % of the time or less; the False
    row, intervals of two fifths of their width (71 %), proves that it can fail.
    """
    noise = draws(MICRO_EPSILON, N).reshape(-1, len(TRUTH)).tolist()
    each = 1 - (1 - CONFIDENCE) / len(TRUTH)
    half = DiscreteLaplace.costing(MICRO_EPSILON).quantile(1, each)

    held = sum(holds(noisy(each, int(width * half))) for each in noise)

    assert (coins.at_most(held, len(noise), ALPHA) >= CONFIDENCE) is accepted
