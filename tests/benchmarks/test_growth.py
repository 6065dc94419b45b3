"""Growth: what an exponent says."""

import pytest

from benchmarks.bench_growth import exponent


@pytest.mark.parametrize(
    ("times", "sizes", "power"), [(10, 10, 1), (1, 50, 0), (100, 10, 2), (0.5, 4, -0.5)]
)
def test_the_exponent_is_the_power_of_the_size(times, sizes, power):
    """Linear is 1, quadratic 2, and what gets faster is below 0."""
    assert exponent(times, sizes) == pytest.approx(power)
