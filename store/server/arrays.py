"""int64 arrays as bytes: one digit for the width, then little-endian integers.

Most counts fit in one or two bytes, so an epoch of 10^6 atoms is 1 or 2 MB, not 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_WIDTHS = (1, 2, 4, 8)


def pack(values: NDArray[np.int64]) -> bytes:
    """``values`` (n,) in the narrowest width that holds them all."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for width in _WIDTHS:
        bound = 1 << (8 * width - 1)
        if -bound <= low and high < bound:
            break
    return b"%d" % width + values.astype(f"<i{width}").tobytes()


def unpack(packed: bytes) -> NDArray[np.int64]:
    """What ``pack`` was given: int64 (n,), read-only."""
    width = int(packed[:1])
    values = np.frombuffer(packed, dtype=f"<i{width}", offset=1).astype(np.int64)
    values.setflags(write=False)
    return values
