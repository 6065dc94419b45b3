"""Utility: mean squared error of the benchmark over that of Algorithm 4.

The paper's tables. Clusters are all sets of u columns, 2^u atoms each; the rule is
``paper``; a question with more than u constraints is left over and gets B/Q, as every
question of the benchmark does. Closed form, and drawn through the library: the plan of
``Subsets``, the router, the algebras, the exact sampler.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.data import SEED, Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.report.plots import utility_figure
from experiments.report.tables import ResultTable, Setting, TableRow
from sigmacount.accounting import PAPER, with_noise
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, Subsets, propose
from sigmacount.release import Group, Router, tally
from sigmacount.sets import WeightedQuery

__all__ = ["closed_form", "drawn", "tables"]

CONSTRAINED: Final = 0.1  # share of the columns that a question constrains
SINGLE: Final = 10  # µε of one benchmark question; the ratio does not depend on it
WITHIN: Final = 0.05  # of the paper's figure
DRAWS: Final = {10: 40, 21: 3}  # workloads of 10^5 questions, by columns
MANY: Final = 1_000_000  # questions of which one draw will do
REPEATS: Final = {10: 10, 21: 40}  # noises of the groups for each of them
ALONE: Final = 300_000  # fresh draws of a cell: 0.4 % deviation of their mean
PAPER_SAYS: Final = {  # (data, columns, questions): u = 3, 2, 1
    ("simulated", 10, 100_000): (77.1, 14.0, 3.8),
    ("simulated", 10, 1_000_000): (77.5, 14.2, 3.8),
    ("adult", 10, 100_000): (77.3, 14.2, 3.8),
    ("adult", 10, 1_000_000): (76.9, 14.2, 3.8),
    ("simulated", 21, 100_000): (5.2, 2.8, 1.6),
    ("simulated", 21, 1_000_000): (6.5, 2.8, 1.6),
    ("adult", 21, 100_000): (5.1, 2.8, 1.6),
    ("adult", 21, 1_000_000): (6.6, 2.8, 1.6),
}
NOTE: Final = (
    "Mean squared error of Algorithm 1 over that of Algorithm 4, clusters of all sets"
    " of u columns, rule `paper`. Drawn: workload and noise; errors are means of 40"
    " workloads (10 columns, 10^5 questions), 3 (21 columns) or one (10^6 questions)."
    " Each of 10^5 questions sees 10 noises of the groups (10 columns) or 40 (21): the"
    " question without a constraint alone carries a third of what the groups err, in"
    " one sum of 8 atoms, and one noise would move a cell by a tenth. Fresh noise, the"
    " benchmark's too, has 3·10^5 draws a cell or more. Bound: drawn within 5 % of the"
    " paper."
)


def closed_form(columns: int, questions: int, size: int) -> float:
    """The utility in expectation, of continuous noise."""
    shares = [_share(columns, j) for j in range(size + 1)]
    left = 1 - sum(shares)
    atoms = math.comb(columns, size) * 2**size
    epsilon = (1 - left) * questions / atoms  # of an atom, in units of B/Q
    covered = sum(p * 2 ** (size - j) for j, p in enumerate(shares)) / epsilon**2
    return float(1 / (covered + left))


def drawn(data: Bits, questions: int, sizes: tuple[int, ...]) -> list[float]:
    """The utility for every u, measured."""
    columns = data.values.shape[1]
    errors = np.zeros(len(sizes))
    _, workloads = _draws(columns, questions)
    for draw in range(workloads):
        asked = LayeredQueries.drawn(columns, questions, SEED + draw)
        errors += [_algorithm_4(data, asked, size) for size in sizes]
    alone = _squares(ALONE) / ALONE * questions * workloads
    return [float(alone / each) for each in errors]


def tables(setting: Setting) -> Iterator[ResultTable]:
    """The 24 cells."""
    rows: list[TableRow] = []
    paper, points = {}, {}
    for (name, columns, questions), said in PAPER_SAYS.items():
        setting.step(f"utility: {name}, {columns} columns, {questions:,} questions")
        if name in setting.data:
            measured = drawn(setting.data[name].first(columns), questions, (3, 2, 1))
            for u, theirs, ours in zip((3, 2, 1), said, measured, strict=True):
                rows.append(_row((name, columns, questions, u), theirs, ours))
                paper[columns, questions, u] = theirs
                points[columns, questions, u] = ours
    if len({columns for columns, *_ in paper}) > 1:
        setting.figures["utility"] = utility_figure(closed_form, paper, points)
    header = ("cell", "paper", "closed form", "drawn", "drawn / paper")
    yield ResultTable("Utility", header, tuple(rows), NOTE)


def _row(cell: tuple[str, int, int, int], paper: float, ours: float) -> TableRow:
    name, columns, questions, u = cell
    far = abs(ours / paper - 1) > WITHIN
    title = f"{name}, {columns} columns, Q = 10^{round(math.log10(questions))}, u = {u}"
    form = closed_form(columns, questions, u)
    figures = (f"{paper:g}", f"{form:.2f}", f"{ours:.2f}", f"{ours / paper:.3f}")
    return TableRow((title, *figures), "further than 5 % from the paper" if far else "")


def _share(columns: int, active: int) -> float:
    """Probability that a question constrains so many columns."""
    ways = math.comb(columns, active)
    return float(ways * CONSTRAINED**active * (1 - CONSTRAINED) ** (columns - active))


def _draws(columns: int, questions: int) -> tuple[int, int]:
    """Noises of the groups for each workload, and workloads."""
    return (1, 1) if questions == MANY else (REPEATS[columns], DRAWS[columns])


def _squares(count: int) -> float:
    """Σ of the squared errors of so many questions, each answered by itself."""
    errors = DiscreteLaplace.costing(SINGLE).draw(count).astype(np.float64)
    return float(errors @ errors)


def _algorithm_4(data: Bits, asked: LayeredQueries, size: int) -> float:
    """Σ of the squared errors of all questions under Algorithm 4."""
    number = asked.by_number[0]
    covered, questions = int(number[: size + 1].sum()), int(number.sum())
    log = list(LayeredQueries(asked.columns, asked.layers[: size + 1]).log())
    terms = PlanOptions(
        Amount.pure(covered * SINGLE), DiscreteLaplace.costing(SINGLE), PAPER
    )
    groups = propose(data.schema, log, terms, grouping=Subsets(size)).plan.groups
    repeats, workloads = _draws(asked.columns, questions)
    left = questions - covered
    times = math.ceil(ALONE / workloads / left)
    alone = _squares(left * times) / times
    return _of_groups(data, groups, log, repeats) + alone


def _of_groups(
    data: Bits, groups: tuple[Group, ...], log: list[WeightedQuery], repeats: int
) -> float:
    """Σ of the squared errors of the questions that groups hold, mean of the noises."""
    errors = {g.id: _errors(data, g, repeats) for g in groups}
    router, total = Router(groups), 0.0
    for each in log:
        found = router.route(each.query)
        if found is None:
            msg = "a covered question has no group"
            raise AssertionError(msg)
        atoms = found.group.algebra.atoms_of(each.query)
        off = errors[found.group.id][:, atoms].sum(axis=1)
        total += each.weight * float((off**2).mean())
    return total


def _errors(data: Bits, group: Group, repeats: int) -> NDArray[np.float64]:
    """Noisy counts less the true ones, float64 (repeats, atoms)."""
    true = tally(group.algebra, *data.cells)
    released = with_noise(
        np.tile(true, repeats), group.mechanism.draw(repeats * true.size)
    )
    return (released.reshape(repeats, -1) - true).astype(np.float64)
