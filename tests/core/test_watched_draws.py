"""A long draw is told of while it lasts, and ends when its watch says so."""

import pytest

from sigmacount.mechanisms import DiscreteGaussian, DiscreteLaplace
from sigmacount.mechanisms.laws import sampling
from tests.core.joint_plans import measuring

SIZE = 25


@pytest.fixture(autouse=True)
def small_calls(monkeypatch):
    """Ten numbers a call of the sampler."""
    monkeypatch.setattr(sampling, "CHUNK", 10)


@pytest.mark.parametrize(
    "mechanism", [DiscreteLaplace.costing(100_000), DiscreteGaussian(3.0)]
)
def test_a_watch_hears_of_every_call(mechanism):
    """And of all numbers together."""
    heard = []

    drawn = mechanism.draw(SIZE, heard.append)

    assert heard == [10, 10, 5]
    assert drawn.size == SIZE


def test_noise_of_many_scales_has_one_watch():
    """However it is dealt out to the sampler."""
    [measured] = measuring()
    heard = []

    measured.mechanism.draw(measured.draws, heard.append)

    assert sum(heard) == measured.draws
    assert max(heard) == 10


@pytest.mark.parametrize(
    "mechanism",
    [
        DiscreteLaplace.costing(100_000),
        DiscreteGaussian(3.0),
        measuring()[0].mechanism,
    ],
)
def test_what_a_watch_raises_ends_the_draw(mechanism):
    """At the next call, and nothing is handed out."""
    heard = []

    def enough(numbers):
        heard.append(numbers)
        raise TimeoutError

    size = sum(getattr(mechanism, "rows", (SIZE,)))
    with pytest.raises(TimeoutError):
        mechanism.draw(size, enough)

    assert len(heard) == 1
