"""A peer as a process of its own, which tells its rate and its live rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.peers.environments import Unavailable, run

PATIENCE = 240.0  # seconds
TOLD = re.compile(r"^(\d+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Found:
    """What a peer found: rows a second, and rows that are left."""

    rate: float
    live: int


def found_by(command: Sequence[str], seconds: float = PATIENCE) -> Found:
    """What the peer prints: among other things a line with its rate and live rows.

    Raises:
        Unavailable: it cannot run here, or printed no such line.
    """
    told = TOLD.search(run(command, seconds))
    if told is None:
        msg = "it told no rate"
        raise Unavailable(msg)
    return Found(float(told[1]), int(told[2]))
