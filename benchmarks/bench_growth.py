"""Does the time of a new plan, and of the noise it adopts, grow faster than the work?

Exponents between two ends, 1 being linear; reclustering against entries of the log
(first and tenfold), adoption against atoms that want noise. Seconds have no bar.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from benchmarks.bench_planner import BUDGET, FRESH, questions
from benchmarks.figures import Figure
from sigmacount.noise import DiscreteLaplace
from sigmacount.planner import Terms, plan
from sigmacount.schema import Attribute, Schema

MOST = 1.15  # linear, and room for caches and clocks
TIMES = 10
ENTRIES, ATOMS = 10_000, 20_000  # at the small end
COLUMNS = 10
MICRO_EPSILON = 10_000


def measure() -> Iterator[Figure]:
    """Seconds at the large end, and the exponent between the ends."""
    schema = Schema("bits", tuple(Attribute.boolean(f"x{i}") for i in range(COLUMNS)))
    log, noise = questions(schema), DiscreteLaplace(MICRO_EPSILON)
    yield from _grown(
        "recluster", ENTRIES, lambda n: plan(schema, log[:n], Terms(BUDGET, FRESH))
    )
    yield from _grown("noise_of_atoms", ATOMS, noise.draw)


def exponent(small: float, large: float, times: float) -> float:
    """Power p where ``times`` the work takes ``times``^p the seconds."""
    return math.log(large / small) / math.log(times)


def _grown(name: str, size: int, act: Callable[[int], object]) -> Iterator[Figure]:
    """Figures of one act at both ends."""
    small, large = (_seconds(act, size * times) for times in (1, TIMES))
    yield Figure(f"growth.{name}_{size * TIMES}", large, "s")
    power = exponent(small, large, TIMES)
    yield Figure(f"growth.{name}_exponent", power, "power", MOST, "most")


def _seconds(act: Callable[[int], object], size: int) -> float:
    """How long it takes."""
    began = time.perf_counter()
    act(size)
    return time.perf_counter() - began
