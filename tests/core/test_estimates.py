"""An estimate holds its own count, and as much of the line as it promises."""

import math
from statistics import NormalDist

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.release import NormalError, SumOfDraws, estimate, nothing
from tests.core.priced import laplace

sums = st.integers(-500, 500)


@given(count=st.integers(0, 500), noisy=sums, atoms=st.integers(1, 80))
def test_the_interval_holds_the_count_and_the_noisy_interval(count, noisy, atoms):
    """Widening is the only change: coverage of the noisy interval is inherited."""
    half = laplace(200_000).quantile(atoms, 0.95)

    said = estimate(count, noisy, laplace(200_000), atoms)

    low, high = said.interval
    assert low <= said.count <= high
    assert low <= max(0, noisy - half)
    assert high >= noisy + half
    assert low >= 0


def test_the_stderr_is_that_of_the_noise():
    """Independent draws: variances add."""
    said = estimate(10, 10, laplace(500_000), 9)

    assert said.stderr == 3 * laplace(500_000).variance ** 0.5


def test_the_empty_query_is_known_exactly():
    """A sum of no atoms holds no noise and no rows."""
    said = nothing(0.9)

    assert (said.count, said.interval, said.stderr) == (0, (0, 0), 0.0)
    assert (said.atoms, said.confidence) == (0, 0.9)


def test_the_unbiased_interval_is_around_the_noisy_sum_and_not_below_0():
    """Whatever is counted."""
    said = estimate(70, 4, laplace(200_000), 1)

    assert said.unbiased_interval == (0, 4 + said.half)
    assert (said.noisy, said.count) == (4, 70)


@given(variance=st.floats(0, 1e12), confidence=st.floats(0.5, 0.999))
def test_a_normal_error_keeps_every_whole_number_within_its_quantile(
    variance, confidence
):
    """Of the rounded estimate, all truths that the unrounded one allows."""
    error = NormalError(variance)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * variance**0.5

    for unbiased in (10.0, 10.25, 10.5, 10.75):
        low, high = math.ceil(unbiased - reach), math.floor(unbiased + reach)
        rounded = math.floor(unbiased + 0.5)
        assert rounded - error.quantile(confidence) <= low
        assert rounded + error.quantile(confidence) >= high


def test_errors_add_up_by_what_is_known_of_their_noise():
    """Draws of disjoint sets are apart; normal errors may be of the same draws."""
    drawn = SumOfDraws(laplace(500_000), 3).plus(SumOfDraws(laplace(500_000), 4))

    assert drawn == SumOfDraws(laplace(500_000), 7)
    assert NormalError(9).plus(NormalError(16)).variance == 49
    assert NormalError(9).key == NormalError(16).key != drawn.key
