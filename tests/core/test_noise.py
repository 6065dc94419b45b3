"""Noise: certified by OpenDP, whole numbers, never the same twice."""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import UncertifiedNoise
from sigmacount.mechanisms import DiscreteLaplace, amount, laplace, laplace_variance
from sigmacount.mechanisms.laplace import CHUNK, MARGIN


@given(st.integers(1, 10**8))
def test_every_budget_is_certified(micro_epsilon):
    """OpenDP's own ε never exceeds the one that is charged, not by one float."""
    drawn = DiscreteLaplace(micro_epsilon).draw(1)

    assert drawn.dtype == np.int64


@given(st.integers(1, 10**9))
def test_the_scale_is_rounded_towards_more_noise(micro_epsilon):
    """1 / scale ≤ ε as rational numbers, and within 2⁻⁴⁸ of it."""
    spent = 1 / Fraction(amount.laplace_scale(micro_epsilon) * MARGIN)
    charged = Fraction(micro_epsilon, amount.MICRO)

    assert charged * (1 - Fraction(1, 2**48)) < spent <= charged


def test_too_little_noise_is_refused(monkeypatch):
    """A scale one part in 10⁹ too small is not certified; nothing is drawn."""
    monkeypatch.setattr(amount, "laplace_scale", lambda micro: (1 - 1e-9) * 1e6 / micro)

    with pytest.raises(UncertifiedNoise) as refusal:
        DiscreteLaplace(300_000)

    assert refusal.value.micro_epsilon == 300_000
    assert "nothing" in str(refusal.value)


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1])
def test_it_draws_as_many_as_asked(size):
    """Chunks join without a gap."""
    drawn = DiscreteLaplace(1_000).draw(size)  # scale 1000: hardly two are alike

    assert drawn.shape == (size,)
    assert (np.abs(drawn) < 10**6).all()
    assert len(set(drawn[-100:].tolist())) > 0.8 * drawn[-100:].size or size < 2


def test_chunks_are_not_repeats_of_one_another(monkeypatch):
    """Every chunk is drawn anew."""
    monkeypatch.setattr(laplace, "CHUNK", 50)

    drawn = DiscreteLaplace(1).draw(100)

    assert not np.array_equal(drawn[:50], drawn[50:])


def test_threads_draw_different_noise():
    """One object serves every thread, with independent draws."""
    laplace = DiscreteLaplace(1)  # scale 10⁶: 200 equal draws happen never

    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(laplace.draw, [200] * 8))

    assert len({each.tobytes() for each in drawn}) == 8


def test_a_forked_child_does_not_repeat_its_parent():
    """The generator notices a new process id and takes new entropy."""
    laplace = DiscreteLaplace(1)
    laplace.draw(1)  # the generator has a state that a fork could copy

    children = [drawn_by_a_child(laplace) for _ in range(2)]

    assert len({*children, laplace.draw(200).tobytes()}) == 3


def drawn_by_a_child(laplace):
    """The bytes of 200 draws of a forked process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, laplace.draw(200).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    drawn = os.read(reader, 200 * 8)
    os.close(reader)
    os.close(writer)
    return drawn


@pytest.mark.parametrize("micro_epsilon", [1_000, 500_000, 3_000_000])
def test_the_variance_is_that_of_the_law(micro_epsilon):
    """Σ z² P(z), summed."""
    epsilon = micro_epsilon / 1e6
    z = np.arange(1, int(60 / epsilon) + 60)
    mass = (1 - math.exp(-epsilon)) / (1 + math.exp(-epsilon)) * np.exp(-epsilon * z)

    assert laplace_variance(micro_epsilon) == pytest.approx(2 * (z**2 * mass).sum())


def test_a_large_budget_has_next_to_no_variance():
    """No overflow where e^ε leaves the floats."""
    assert laplace_variance(2_000 * amount.MICRO) == 0.0


def test_the_budget_is_at_least_one_micro_epsilon():
    """Nothing is drawn for free."""
    with pytest.raises(ValueError, match="at least 1"):
        DiscreteLaplace(0)
