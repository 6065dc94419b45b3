"""How much ε do 70,000 answers need, each within 5 % of the rows but once in 1,000?

The public Covid workload's shape of Turbo (Kostopoulou et al., SOSP 2023): 2×2×4×8
= 128 cells, all 34,425 products of non-empty sets of values, drawn by Zipf's law of
exponent 0 (all alike) and 1, ranks at random. Add or remove a row; ε is told times n.

Laplace with memo pays ε for each distinct query. Sigma-counting releases 128 atoms
once, at the ε that the query of all atoms needs; smaller queries err less. Turbo
spends 1.7 to 15.9 times less than simple caches, which is the bar of the ratio.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure
from sigmacount.algebra import Algebra
from sigmacount.groups import Group
from sigmacount.noise import DiscreteLaplace
from sigmacount.quantiles import quantile_of_sum
from sigmacount.schema import Attribute, Schema

SIZES = (2, 2, 4, 8)
ROWS = 100_000
ALPHA, BETA = 0.05, 0.001
WITHIN = int(ALPHA * ROWS)
DRAWN, SEED = 70_000, 20230101
RELEASES = 200
TRIALS = 4_000  # of the query that errs most
CHANCE = 3 * (BETA / TRIALS) ** 0.5  # three standard deviations of its misses
PUBLISHED = 15.9  # most that Turbo saves against a simple cache
SCHEMA = Schema(
    "covid",
    tuple(
        Attribute.categorical(name, [f"{name}{level}" for level in range(size)])
        for name, size in zip("abcd", SIZES, strict=True)
    ),
)


def measure() -> Iterator[Figure]:
    """ε·n of each way, and how often a release missed α."""
    queries = inside()
    one, whole = needed(1), needed(len(queries[0]))
    yield Figure("covid.sigma_epsilon_n", scaled(whole), "ε·n")
    for zipf in (0, 1):
        times = asked(len(queries), zipf)
        distinct = int(np.count_nonzero(times))
        memo = scaled(one) * distinct
        yield Figure(f"covid.distinct_zipf{zipf}", distinct, "queries")
        yield Figure(f"covid.memo_epsilon_n_zipf{zipf}", memo, "ε·n")
        ratio = memo / scaled(whole)
        yield Figure(f"covid.memo_over_sigma_zipf{zipf}", ratio, "times", PUBLISHED)
        share = misses(queries, times, whole)
        yield Figure(f"covid.misses_zipf{zipf}", share, "of answers", BETA, "most")
    worst, most = misses(queries[-1:], np.ones(1), whole, TRIALS), BETA + CHANCE
    yield Figure("covid.misses_of_all_atoms", worst, "of answers", most, "most")


def inside() -> NDArray[np.float32]:
    """Which atoms lie in each query, the query of all of them last.

    Shapes: float32 (34425, 128), atoms in C order as ``Algebra.full`` has them.
    """
    tables = [np.ones((1, 1), np.float32)]
    for size in SIZES:
        sets = list(product((0, 1), repeat=size))[1:]
        tables.append(np.array(sets, np.float32))
    made = tables[0]
    for table in tables[1:]:
        made = np.kron(made, table)
    return made


def asked(queries: int, zipf: float) -> NDArray[np.int64]:
    """How often each query is drawn: int64 (queries,)."""
    rng = np.random.default_rng(SEED)
    chance = np.arange(1, queries + 1, dtype=float) ** -zipf
    return rng.multinomial(DRAWN, rng.permutation(chance / chance.sum()))


def needed(atoms: int) -> int:
    """Least µε at which a sum of this many atoms is within α but for β."""
    low, high = 0, 10**6
    while high - low > 1:
        middle = (low + high) // 2
        if quantile_of_sum(middle, atoms, 1 - BETA) > WITHIN:
            low = middle
        else:
            high = middle
    return high


def scaled(micro_epsilon: int) -> float:
    """ε·n."""
    return micro_epsilon / 10**6 * ROWS


def misses(
    queries: NDArray[np.float32],
    times: NDArray[np.int64] | NDArray[np.float64],
    micro_epsilon: int,
    releases: int = RELEASES,
) -> float:
    """Share of answers, over many releases, that are off by more than α."""
    algebra = Algebra.full(SCHEMA, tuple(range(len(SIZES))))
    group = Group(algebra, micro_epsilon)
    noise = DiscreteLaplace(group.micro_epsilon).draw(releases * algebra.size)
    held = noise.reshape(algebra.size, releases).astype(np.float32)
    off = np.abs(queries[times > 0] @ held) > WITHIN
    return float(times[times > 0] @ off.mean(axis=1) / times.sum())
