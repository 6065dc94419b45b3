"""An estimate holds its own count, and as much of the line as it promises."""

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.release import estimate, nothing
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
