"""What ε does a given accuracy need, for everything that one workload asks?

Turbo's public Covid workload (``benchmarks.covid``): each answer off by at most 5 % of
the rows with probability 0.999. Told as ε·n: Laplace with a memo, which pays for every
distinct query; one release of all 128 cells, which answers all 34,425 queries, drawn
or not; and the planner's own plan, its ε scaled until every query drawn is accurate.
The published system spends 1.7 to 15.9 times less than simple caches do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.figures import Figure
from experiments.measuring import covid
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, propose
from sigmacount.release import Router
from sigmacount.sets import WeightedQuery

RELEASES = 2_000
WORST = 20_000  # releases in which the largest query is looked at
# β, and three standard deviations of a share of so many releases
ALLOWED = covid.BETA + 3 * (covid.BETA / WORST) ** 0.5
MOST = 1_063  # ε·n of one release of 128 atoms: 1,062 of mathematics, rounded up
PUBLISHED = 15.9  # the most that the published system gains on simple caches
BUDGET = 1_000_000  # µε; plans are scaled


def measure() -> Iterator[Figure]:
    """Figures of accuracy."""
    per_epsilon = covid.ROWS / 1_000_000  # µε to ε·n
    single, whole = covid.needed(1), covid.needed(covid.CELLS)
    yield Figure("covid.one_algebra", whole * per_epsilon, "ε·n", MOST, "most")
    worst = covid.misses_of_all(whole, WORST)
    yield Figure("covid.all_atoms_misses", worst, "share", ALLOWED, "most")
    for name, exponent in (("zipf", 1.0), ("uniform", 0.0)):
        times = covid.asked(exponent)
        memo = single * int((times > 0).sum())
        planned = _planned(times)
        missed = covid.misses(whole, times, RELEASES)
        yield Figure(f"covid.{name}_distinct", (times > 0).sum(), "queries")
        yield Figure(f"covid.{name}_laplace_memo", memo * per_epsilon, "ε·n")
        yield Figure(f"covid.{name}_planner", planned * per_epsilon, "ε·n")
        yield Figure(f"covid.{name}_memo_over_us", memo / whole, "ratio", PUBLISHED)
        yield Figure(f"covid.{name}_misses", missed, "share", covid.BETA, "most")


def _planned(times: np.ndarray) -> int:
    """µε of the planner's plan, scaled so that every drawn query is accurate."""
    drawn = np.flatnonzero(times).tolist()
    log = [WeightedQuery(covid.query(number), float(times[number])) for number in drawn]
    groups = propose(
        covid.SCHEMA,
        log,
        PlanOptions(Amount.pure(BUDGET), DiscreteLaplace.costing(BUDGET)),
    ).plan.groups
    router, scale = Router(groups), 0.0
    for atoms, epsilon in {_routed(router, each) for each in log}:
        scale = max(scale, covid.needed(atoms) / epsilon)
    return round(scale * sum(group.price.units for group in groups))


def _routed(router: Router, asked: WeightedQuery) -> tuple[int, int]:
    """Atoms that answer a query, and the µε of each."""
    found = router.route(asked.query)
    assert found is not None, "the comparison is of plans that answer everything"
    return found.atoms, found.group.price.units
