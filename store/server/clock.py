"""The clock that what is stored is stamped with."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Milliseconds since 1970, by this machine's clock."""
    return time.time_ns() // 1_000_000
