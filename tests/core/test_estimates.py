"""An estimate holds its own count, and as much of the line as it promises."""

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.mechanisms import laplace_variance, quantile_of_sum
from sigmacount.release import estimate

sums = st.integers(-500, 500)


@given(count=st.integers(0, 500), noisy=sums, atoms=st.integers(1, 80))
def test_the_interval_holds_the_count_and_the_noisy_interval(count, noisy, atoms):
    """Widening is the only change: coverage of the noisy interval is inherited."""
    half = quantile_of_sum(200_000, atoms, 0.95)

    said = estimate(count, noisy, 200_000, atoms)

    low, high = said.interval
    assert low <= said.count <= high
    assert low <= max(0, noisy - half)
    assert high >= noisy + half
    assert low >= 0


def test_the_stderr_is_that_of_the_noise():
    """Independent draws: variances add."""
    said = estimate(10, 10, 500_000, 9)

    assert said.stderr == 3 * laplace_variance(500_000) ** 0.5


def test_the_empty_query_is_known_exactly():
    """A sum of no atoms holds no noise and no rows."""
    said = estimate(0, 0, 500_000, 0)

    assert (said.count, said.interval, said.stderr) == (0, (0, 0), 0.0)
