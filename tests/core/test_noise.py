"""Noise: certified by OpenDP, whole numbers, never the same twice."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import MeasureMismatch, UncertifiedNoise
from sigmacount.mechanisms import MICRO, Amount, DiscreteLaplace
from sigmacount.mechanisms.laws import laplace, sampling
from sigmacount.mechanisms.laws.laplace import MARGIN
from sigmacount.mechanisms.laws.sampling import CHUNK


@given(st.integers(1, 10**8), st.integers(1, 9))
def test_every_budget_is_certified(units, sensitivity):
    """OpenDP's own ε never exceeds the one that is charged, not by one float."""
    drawn = DiscreteLaplace(Amount.pure(units), sensitivity).draw(1)

    assert drawn.dtype == np.int64


@given(st.integers(1, 10**9), st.integers(1, 9))
def test_the_scale_is_rounded_towards_more_noise(units, sensitivity):
    """Δ / scale ≤ ε as rational numbers, and within 2⁻⁴⁸ of it."""
    price = Amount.pure(units)
    scale = Fraction(laplace.scale(price, sensitivity))
    charged = Fraction(units, MICRO)

    assert sensitivity / scale <= charged
    assert charged * (1 - Fraction(1, 2**48)) < sensitivity / (scale * Fraction(MARGIN))


def test_too_little_noise_is_refused_before_anything_is_drawn(monkeypatch):
    """A scale one part in 10⁹ too small is not certified, whenever it is asked."""
    monkeypatch.setattr(
        laplace, "scale", lambda price, _: (1 - 1e-9) * 1e6 / price.units
    )
    faint = DiscreteLaplace.costing(300_001)  # of a price that no other test draws

    for _ in range(2):
        with pytest.raises(UncertifiedNoise, match="nothing") as refusal:
            faint.draw(1)

    assert refusal.value.price == "300001 µε"


def test_who_asks_for_variance_and_quantiles_needs_no_opendp():
    """A client's package has none; neither its import nor its predictions load it."""
    code = """
import sys
from sigmacount.mechanisms import DiscreteLaplace
noise = DiscreteLaplace.costing(100_000)
assert noise.variance and noise.quantile(3, 0.95) and noise.price and noise.key
assert "opendp" not in sys.modules
noise.draw(1)
assert "opendp" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1])
def test_it_draws_as_many_as_asked(size):
    """Chunks join without a gap."""
    drawn = DiscreteLaplace.costing(1_000).draw(
        size
    )  # scale 1000: hardly two are alike

    assert drawn.shape == (size,)
    assert (np.abs(drawn) < 10**6).all()
    assert len(set(drawn[-100:].tolist())) > 0.8 * drawn[-100:].size or size < 2


def test_chunks_are_not_repeats_of_one_another(monkeypatch):
    """Every chunk is drawn anew."""
    monkeypatch.setattr(sampling, "CHUNK", 50)

    drawn = DiscreteLaplace.costing(1).draw(100)

    assert not np.array_equal(drawn[:50], drawn[50:])


def test_threads_draw_different_noise():
    """One object serves every thread, with independent draws."""
    source = DiscreteLaplace.costing(1)  # scale 10⁶: 200 equal draws happen never

    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(source.draw, [200] * 8))

    assert len({each.tobytes() for each in drawn}) == 8


def test_a_forked_child_does_not_repeat_its_parent():
    """The generator notices a new process id and takes new entropy."""
    source = DiscreteLaplace.costing(1)
    source.draw(1)  # the generator has a state that a fork could copy

    children = [drawn_by_a_child(source) for _ in range(2)]

    assert len({*children, source.draw(200).tobytes()}) == 3


def drawn_by_a_child(source):
    """The bytes of 200 draws of a forked process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, source.draw(200).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    drawn = os.read(reader, 200 * 8)
    os.close(reader)
    os.close(writer)
    return drawn


@pytest.mark.parametrize("units", [1_000, 500_000, 3_000_000])
def test_the_variance_is_that_of_the_law(units):
    """Σ z² P(z), summed."""
    epsilon = units / 1e6
    z = np.arange(1, int(60 / epsilon) + 60)
    mass = (1 - math.exp(-epsilon)) / (1 + math.exp(-epsilon)) * np.exp(-epsilon * z)

    assert DiscreteLaplace.costing(units).variance == pytest.approx(
        2 * (z**2 * mass).sum()
    )


def test_a_large_budget_has_next_to_no_variance():
    """No overflow where e^ε leaves the floats."""
    assert DiscreteLaplace.costing(2_000 * MICRO).variance == 0.0


@pytest.mark.parametrize(
    ("units", "sensitivity"), [(0, 1), (1, 0), (1, 1.5), (1, float("nan")), (1, True)]
)
def test_a_price_and_a_sensitivity_are_at_least_one(units, sensitivity):
    """Nothing is drawn for free, and noise that hides no row is none."""
    with pytest.raises(ValueError, match="at least 1"):
        DiscreteLaplace(Amount.pure(units), sensitivity)


def test_it_is_priced_in_pure_epsilon():
    """What is priced in ρ is another mechanism."""
    with pytest.raises(MeasureMismatch):
        DiscreteLaplace(Amount.zcdp(7))


def test_it_draws_in_the_shape_that_is_asked():
    """Row after row, each number a draw of its own."""
    drawn = DiscreteLaplace.costing(1).draw((3, 50))

    assert drawn.shape == (3, 50)
    assert len(np.unique(drawn)) > 140


@given(st.integers(1, 10**6), st.integers(2, 9))
def test_noise_for_twice_the_change_is_that_of_half_the_epsilon(units, sensitivity):
    """Its law is that of ε/Δ; its price is still ε, and its key another."""
    wide = DiscreteLaplace(Amount.pure(units * sensitivity), sensitivity)
    plain = DiscreteLaplace.costing(units)

    assert wide.variance == plain.variance
    assert wide.quantile(5, 0.95) == plain.quantile(5, 0.95)
    assert wide.key != plain.key == str(units)


def test_one_sampler_serves_equal_mechanisms():
    """Certified once; the next draw costs no more than the draw."""
    first, second = DiscreteLaplace.costing(77_777), DiscreteLaplace.costing(77_777)
    first.draw(1)
    before = laplace.sampler.cache_info().misses

    second.draw(1)

    assert laplace.sampler.cache_info().misses == before
