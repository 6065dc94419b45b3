"""Commitment: it binds the noise and everything that says whose noise it is."""

from __future__ import annotations

import hashlib
import hmac
import itertools

import numpy as np
import pytest

from sigmacount.mechanisms import KEY_BYTES, commitment

KEY = bytes(range(KEY_BYTES))


def test_no_two_inputs_share_a_figure():
    """Neither another key, dataset, name, length nor number does."""
    inputs = itertools.product(
        [KEY, KEY[::-1]],
        ["a", "ab", 'a"'],
        ["g:0", "g:1", "bg:0"],
        [(), (0,), (0, 0), (1,), (-1,), (256,)],
    )
    figures = [commitment(k, d, n, np.array(z, np.int64)) for k, d, n, z in inputs]

    assert len(set(figures)) == len(figures) == 2 * 3 * 3 * 6


def test_it_is_the_hmac_that_an_auditor_would_compute():
    """JSON of dataset, name and length, then little-endian 64-bit numbers."""
    spelled = b'["census","g1:0",2]' + bytes([5] + 7 * [0]) + 8 * b"\xff"

    figure = commitment(KEY, "census", "g1:0", np.array([5, -1]))

    assert figure == hmac.new(KEY, spelled, hashlib.sha256).hexdigest()


def test_a_key_that_is_too_short_hides_nothing():
    """It is refused."""
    with pytest.raises(ValueError, match="32 random bytes"):
        commitment(b"short", "census", "g1:0", np.array([5]))
