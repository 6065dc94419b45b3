"""Rivals: other ways to spend ε = 1 on the demo's questions, drawn and served.

What the paper publishes, a Laplace mechanism with a memory, one product algebra, and
the plan of overlapping tables of which each question is read off one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.answers import answered, unordered
from experiments.measuring.asked_rows import AskedRows
from experiments.optimal.plans import over
from experiments.optimal.releases import ErrorArray, mean_and_error
from sigmacount.accounting import PAPER
from sigmacount.contrasts import Grid
from sigmacount.mechanisms import MICRO, Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, Proposal, Subsets, propose, split_budget
from sigmacount.release import EpochMaker, Group, Plan, Router, simplex, tally
from sigmacount.sets import Sums, Workload

SEED: Final = 20230101
POOL: Final = 2**18  # draws that are dealt to a table of millions of cells
FRESH: Final = 10_000  # µε of a question that today's plan does not hold
SIZE: Final = 3  # attributes of a cluster of the paper's


@dataclass(frozen=True, slots=True, eq=False)
class RivalErrors:
    """What one way errs on the log.

    Units: rows², mean squared error; pairs of (mean, standard error).

    Attributes:
        spent: what it costs, in µε.
        served: after its post-processing, where it has one.
        broken: nested pairs out of order, in a mean release.
    """

    name: str
    predicted: float
    measured: tuple[float, float]
    served: tuple[float, float] | None = None
    broken: float = 0.0
    still_broken: float = 0.0
    spent: int = MICRO


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups, and the price (µε) of every question that none holds, int64 (Q,)."""

    groups: tuple[Group, ...]
    asked: AskedRows
    fresh: NDArray[np.int64]
    variance: ErrorArray = field(init=False)

    def __post_init__(self) -> None:
        router = Router(self.groups)
        routes = [router.route(query) for query in self.asked.queries]
        found = [
            DiscreteLaplace.costing(int(price)).variance if r is None else r.variance
            for r, price in zip(routes, self.fresh, strict=True)
        ]
        object.__setattr__(self, "variance", np.array(found))

    def noises(self) -> dict[str, NDArray[np.int64]]:
        """A draw for every atom of every group."""
        return {g.id: g.mechanism.draw(g.algebra.size) for g in self.groups}

    def alone(self) -> NDArray[np.int64]:
        """A draw for every question, as if none were held."""
        return np.concatenate(
            [DiscreteLaplace.costing(int(price)).draw(1) for price in self.fresh]
        )


def rivals(asked: AskedRows, releases: int, published: int) -> Iterator[RivalErrors]:
    """Each way, most error first; ``published``: releases of Algorithm 4."""
    yield _before("Algorithm 4 as published, u=3", _published(asked), published)
    shares = split_budget(MICRO, asked.shares.tolist(), [1] * len(asked.queries))
    laplace = _Groups((), asked, np.array(shares, np.int64))
    yield _before("Laplace with memo, best split of ε", laplace, releases)
    yield _product(asked, releases)
    yield from each_from_one(asked, releases)


def without_drawing(asked: AskedRows) -> Iterator[tuple[str, float]]:
    """What two of them err (rows²) by the noise that they state: for many questions."""
    shares = split_budget(MICRO, asked.shares.tolist(), [1] * len(asked.queries))
    laws = [DiscreteLaplace.costing(price).variance for price in set(shares)]
    by_price = dict(zip(set(shares), laws, strict=True))
    error = asked.shares @ np.array([by_price[price] for price in shares])
    yield "Laplace with memo, best split of ε", float(error)
    terms = PlanOptions(Amount.pure(MICRO), DiscreteLaplace.costing(FRESH))
    made = propose(asked.schema, asked.log, terms)
    yield "overlapping tables, each question from one", made.then.error


def _published(asked: AskedRows) -> _Groups:
    """All sets of three attributes, every atom charged; all questions are in them."""
    terms = PlanOptions(Amount.pure(MICRO), DiscreteLaplace.costing(FRESH), PAPER)
    made = propose(asked.schema, asked.log, terms, grouping=Subsets(SIZE)).groups
    return _Groups(made, asked, np.full(len(asked.queries), FRESH))


def _before(name: str, of: _Groups, releases: int) -> RivalErrors:
    """Without any post-processing."""
    asked, errors, broken = of.asked, [], []
    for _ in range(releases):
        said, _ = unordered(of.groups, of.noises(), asked.queries, of.alone())
        errors.append(said)
        broken.append(asked.broken(said + asked.true))
    found = np.array(errors, np.float64)
    predicted = float(of.variance @ asked.shares)
    measured = mean_and_error(asked.error(found))
    return RivalErrors(name, predicted, measured, broken=float(np.mean(broken)))


def _product(asked: AskedRows, releases: int) -> RivalErrors:
    """One algebra over all attributes; its noise is dealt from a pool of draws.

    A cell takes a draw of the pool at random, so that a release of millions of cells
    has the pool's variance: that of the mechanism within half a per cent.
    """
    grid = Grid.of_workload(Workload.of(asked.schema, asked.log))
    algebra, mechanism = grid.algebra(grid.attributes), DiscreteLaplace.costing(MICRO)
    rng = np.random.default_rng(SEED)
    pool = mechanism.draw(POOL)
    pool = np.concatenate([pool, -pool])  # else its mean would add up over the cells
    errors, broken = [], []
    for _ in range(releases):
        table = Sums(algebra, rng.choice(pool, algebra.size))
        errors.append([table.total(query) for query in asked.queries])
        broken.append(asked.broken(np.array(errors[-1]) + asked.true))
    atoms = [_cells(grid, asked, k) for k in range(len(asked.queries))]
    predicted = float(np.array(atoms) @ asked.shares) * mechanism.variance
    measured = mean_and_error(asked.error(np.array(errors, np.float64)))
    name = "one product algebra over all attributes"
    return RivalErrors(name, predicted, measured, broken=float(np.mean(broken)))


def _cells(grid: Grid, asked: AskedRows, number: int) -> int:
    """Cells of the whole grid that one question adds up."""
    found = over(grid, asked.queries[number])
    others = grid.cells(grid.attributes) // grid.cells(found.active)
    return int(np.count_nonzero(found.table)) * others


def each_from_one(asked: AskedRows, releases: int) -> Iterator[RivalErrors]:
    """The greedy planner's tables, each question read off one; simplex and one order.

    With ε = 1 for the tables, the fresh questions being paid beside; then with so much
    less that these are within it, for which the planner finds other tables.
    """
    name = "overlapping tables, each question from one"
    terms = PlanOptions(Amount.pure(MICRO), DiscreteLaplace.costing(FRESH))
    made = propose(asked.schema, asked.log, terms)
    if made.then.charge.units:
        found = _of_tables(f"{name}, fresh beside", asked, made, releases)
        yield replace(found, spent=MICRO + made.then.charge.units)
    units = MICRO
    while units + made.then.charge.units > MICRO:
        units -= FRESH
        less = replace(terms, budget=Amount.pure(units))
        made = propose(asked.schema, asked.log, less)
    yield _of_tables(name, asked, made, releases)


def _of_tables(
    name: str, asked: AskedRows, made: Proposal, releases: int
) -> RivalErrors:
    of = _Groups(made.groups, asked, np.full(len(asked.queries), FRESH))
    tallies = {g.id: tally(g.algebra, asked.codes, asked.counts) for g in of.groups}
    by_algebra = {g.algebra.id: tallies[g.id] for g in of.groups}
    told = [_served(of, made.plan, by_algebra) for _ in range(releases)]
    before, after = (np.array(each) for each in zip(*told, strict=True))
    broken, still = ([asked.broken(a) for a in each] for each in (before, after))
    return RivalErrors(
        name,
        float(of.variance @ asked.shares),
        mean_and_error(asked.error(before - asked.true)),
        mean_and_error(asked.error(after - asked.true)),
        float(np.mean(broken)),
        float(np.mean(still)),
    )


def _served(
    of: _Groups, plan: Plan, tallies: Mapping[str, NDArray[np.int64]]
) -> tuple[ErrorArray, ErrorArray]:
    """Answers of one release, before post-processing and as served: (Q,) each."""
    made = EpochMaker(simplex).arrays(plan, tallies, of.noises())
    asked, alone = of.asked, of.alone() + of.asked.true.astype(np.int64)
    before, _ = unordered(of.groups, made.noisy, asked.queries, alone)
    served = answered(of.groups, made.counts, asked.queries, alone)
    return before.astype(np.float64), served.after
