"""int64 arrays as bytes, whatever they hold, in as few bytes as will do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.server.arrays import pack, unpack

EDGES = [
    s * (2 ** (8 * w - 1)) + d for w in (1, 2, 4) for s in (-1, 1) for d in (-1, 0)
]
integers = st.one_of(st.sampled_from(EDGES), st.integers(-(2**63), 2**63 - 1))


@given(values=st.lists(integers, max_size=20))
def test_an_array_comes_back(values):
    """As int64, and read-only."""
    array = unpack(pack(np.array(values, dtype=np.int64)))

    assert array.tolist() == values
    assert array.dtype == np.int64
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("value", "width"),
    [(127, 1), (128, 2), (-128, 1), (-129, 2), (2**31 - 1, 4), (2**31, 8)],
)
def test_each_number_takes_the_width_it_needs(value, width):
    """Beside one byte that says which."""
    assert len(pack(np.array([value, 0]))) == 1 + 2 * width
