"""Draws that several statistical tests share: OpenDP gives about 10⁵ a second.

Nothing is seeded: a red run is news, and it is never repeated to make it green.
"""

import functools

import pytest

from sigmacount.noise import DiscreteLaplace


@pytest.fixture(scope="session")
def draws():
    """``draws(micro_epsilon, size)``: real noise, drawn once for each pair."""

    @functools.cache
    def draw(micro_epsilon, size):
        noise = DiscreteLaplace(micro_epsilon).draw(size)
        noise.setflags(write=False)
        return noise

    return draw
