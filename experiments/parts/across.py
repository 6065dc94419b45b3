"""Across groups: the order of the paper's own Algorithm 4, and the same with one order.

Every set of three columns is a cluster, by the paper's rule; what needs more columns
is left over, and each such question has a noise of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.answers import answered, unordered
from experiments.measuring.data import Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.spectrum import looked_up, spectrum
from experiments.report.tables import TableRow
from sigmacount.accounting import PAPER
from sigmacount.mechanisms import MICRO, Amount, DiscreteLaplace, Mechanism
from sigmacount.planner import PlanOptions, Subsets, propose
from sigmacount.release import Group, perturb, tally
from sigmacount.sets import Query, WeightedQuery

SIZE: Final = 3  # columns of a cluster
NOISES: Final = 20  # one may be far off
HEADER: Final = ("cell", "published", "±", "last", "one order", "squared error")
NOTE: Final = (
    "The same pairs under the paper's Algorithm 4 (all sets of 3 columns, rule `paper`,"
    f" left-over questions B/Q with a memo, B = 1): mean of {NOISES} noises, standard"
    " deviation of one, and the last one; then the last one's answers after"
    " `sigmacount.release.answers.order`. One noise says little: in a quarter of the"
    " pairs or more the superset is the whole table, whose one answer is high or low"
    " for all of them. As derived from one: 5.0 (10 columns) and 28.7 (21). Bound: 0"
    " with one order, and no larger squared error."
)


def row(data: Bits, both: NDArray[np.int8]) -> TableRow:
    """Algorithm 4 as published, and what one order makes of its answers.

    Shapes: int8 (2n, c): n questions, then n supersets of them in the same order.
    """
    columns = both.shape[1]
    place = 3 ** np.arange(columns)
    _, first, which = np.unique(both @ place, return_index=True, return_inverse=True)
    asked = LayeredQueries.of(both)
    queries = [asked.spelled(wanted) for wanted in both[first]]
    true = looked_up(spectrum(data.counts), both[first])
    fresh = DiscreteLaplace.costing(2 * MICRO // len(both))
    groups = _published(data, queries, fresh)
    tallies = {g.id: tally(g.algebra, *data.cells) for g in groups}
    shares = []
    for _ in range(NOISES):
        counts, alone = _noisy(groups, tallies), true.astype(np.int64)
        alone += fresh.draw(len(queries))
        said, _ = unordered(groups, counts, queries, alone)
        shares.append(_broken(said[which]))
    last = answered(groups, counts, queries, alone)
    before, after = (np.mean((a - true)[which] ** 2) for a in (last.before, last.after))
    name, wrong = f"{data.name}, {columns} columns", _broken(last.after[which])
    return compared(name, shares, wrong, float(after / before))


def compared(
    name: str, shares: Sequence[float], wrong: float, error: float
) -> TableRow:
    """A row: violations of each noise, those after the order, and its squared error."""
    cells = (
        name,
        f"{np.mean(shares):.2f}",
        f"{np.std(shares, ddof=1):.2f}",
        f"{shares[-1]:.2f}",
        f"{wrong:g}",
        f"× {error:.3f}",
    )
    missed = "the order is broken" if wrong else ""
    return TableRow(cells, missed or ("the order costs accuracy" if error > 1 else ""))


def _published(
    data: Bits, queries: Sequence[Query], fresh: Mechanism
) -> tuple[Group, ...]:
    """The groups of Algorithm 4, for a budget of 1 shared with what is left over."""
    few = [query for query in queries if len(query.active) <= SIZE]
    share = Amount.pure(MICRO * len(few) // len(queries))
    terms = PlanOptions(share, fresh, PAPER)
    log = [WeightedQuery(query, 1.0) for query in few]
    return propose(data.schema, log, terms, grouping=Subsets(SIZE)).plan.groups


def _noisy(
    groups: Sequence[Group], tallies: Mapping[str, NDArray[np.int64]]
) -> dict[str, NDArray[np.int64]]:
    """Counts of every group by its id (Algorithm 2)."""
    return {g.id: perturb(tallies[g.id], g.mechanism) for g in groups}


def _broken(answers: NDArray[np.int64] | NDArray[np.float64]) -> float:
    """Per cent of pairs in which a question is answered with more than its superset."""
    small, large = np.split(answers, 2)
    return float(100 * np.mean(small > large))
