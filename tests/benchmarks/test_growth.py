"""Growth is told as a power of the work."""

from __future__ import annotations

import pytest

from benchmarks.bench_growth import exponent


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_exponent_is_the_power_of_the_work(power: float) -> None:
    """Seconds that grow as work^p have exponent p."""
    assert exponent(3.0, 3.0 * 10**power, 10) == pytest.approx(power)
