"""Algorithm 5: the noise of the first epoch stays, and true changes are added."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sigmacount.accounting import FixedNoise, with_noise

counts = arrays(np.int64, 5, elements=st.integers(0, 2**53))
zeta = arrays(np.int64, 5, elements=st.integers(-(10**9), 10**9))


@given(first=counts, now=counts, noise=zeta)
def test_the_count_moves_as_the_rows_do(first, now, noise):
    """Line 4: N̂_t = N̂_1 + N_t − N_1."""
    shown_first, shown_now = with_noise(first, noise), with_noise(now, noise)

    assert (shown_now == shown_first + now - first).all()


@given(truth=counts, noise=zeta)
def test_an_unchanged_table_is_shown_unchanged(truth, noise):
    """Polling it a thousand times teaches nothing new."""
    assert (with_noise(truth, noise) == with_noise(truth.copy(), noise)).all()


def test_every_epoch_shows_the_first_draw():
    """There is one generation of noise, whenever it is asked for."""
    rule = FixedNoise(1e-3)

    assert rule.noise_generation(1) == rule.noise_generation(1_000_000)
