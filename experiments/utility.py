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

from experiments.beyond_asked import Asked
from experiments.data import SEED, Bits
from experiments.tables import Row, Setting, Table
from sigmacount.composition import PAPER
from sigmacount.counting import perturb, tally
from sigmacount.evolving import noisy
from sigmacount.grouping import Subsets
from sigmacount.groups import Group
from sigmacount.noise import DiscreteLaplace
from sigmacount.online import Router
from sigmacount.planner import Terms, Weighted, plan
from sigmacount.sums import Sums

__all__ = ["closed_form", "drawn", "tables"]

CONSTRAINED: Final = 0.1  # share of the columns that a question constrains
SINGLE: Final = 10  # µε of one benchmark question; the ratio does not depend on it
WITHIN: Final = 0.05  # of the paper's figure
DRAWS: Final = {10: 10, 21: 3}  # of 10^5 questions, by columns; their mean is told
MANY: Final = 1_000_000  # questions of which one draw will do
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
    " of u columns, rule `paper`. Drawn: workload and noise; errors are means of 10"
    " draws (10 columns, 10^5 questions), 3 (21 columns) or one (10^6 questions)."
    " Bound: drawn within 5 % of the paper."
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
    alone, errors = 0.0, np.zeros(len(sizes))
    for draw in range(1 if questions == MANY else DRAWS[columns]):
        asked = Asked.drawn(columns, questions, SEED + draw)
        alone += _squares(questions)
        errors += [_algorithm_4(data, asked, size) for size in sizes]
    return [float(alone / each) for each in errors]


def tables(setting: Setting) -> Iterator[Table]:
    """The 24 cells."""
    rows = []
    for (name, columns, questions), said in PAPER_SAYS.items():
        setting.step(f"utility: {name}, {columns} columns, {questions:,} questions")
        if name in setting.data:
            measured = drawn(setting.data[name].first(columns), questions, (3, 2, 1))
            rows += [
                _row((name, columns, questions, u), paper, ours)
                for u, paper, ours in zip((3, 2, 1), said, measured, strict=True)
            ]
    header = ("cell", "paper", "closed form", "drawn", "drawn / paper")
    yield Table("Utility", header, tuple(rows), NOTE)


def _row(cell: tuple[str, int, int, int], paper: float, ours: float) -> Row:
    name, columns, questions, u = cell
    far = abs(ours / paper - 1) > WITHIN
    title = f"{name}, {columns} columns, Q = 10^{round(math.log10(questions))}, u = {u}"
    form = closed_form(columns, questions, u)
    figures = (f"{paper:g}", f"{form:.2f}", f"{ours:.2f}", f"{ours / paper:.3f}")
    return Row((title, *figures), "further than 5 % from the paper" if far else "")


def _share(columns: int, active: int) -> float:
    """Probability that a question constrains so many columns."""
    ways = math.comb(columns, active)
    return float(ways * CONSTRAINED**active * (1 - CONSTRAINED) ** (columns - active))


def _squares(count: int) -> float:
    """Σ of the squared errors of so many questions, each answered by itself."""
    errors = DiscreteLaplace(SINGLE).draw(count).astype(np.float64)
    return float(errors @ errors)


def _algorithm_4(data: Bits, asked: Asked, size: int) -> float:
    """Σ of the squared errors of all questions under Algorithm 4."""
    number = asked.by_number[0]
    covered, questions = int(number[: size + 1].sum()), int(number.sum())
    log = list(Asked(asked.columns, asked.layers[: size + 1]).log())
    terms = Terms(covered * SINGLE, SINGLE, PAPER)
    groups = plan(data.schema, log, terms, grouping=Subsets(size)).plan.groups
    return _of_groups(data, groups, log) + _squares(questions - covered)


def _of_groups(data: Bits, groups: tuple[Group, ...], log: list[Weighted]) -> float:
    """Σ of the squared errors of the questions that groups hold."""
    codes, counts = data.cells
    true = {g.id: tally(g.algebra, codes, counts) for g in groups}
    sums = {}
    for g in groups:
        released = perturb(true[g.id], DiscreteLaplace(g.micro_epsilon), _as_it_is)
        sums[g.id] = (Sums(g.algebra, released), Sums(g.algebra, true[g.id]))
    router, total = Router(groups), 0.0
    for each in log:
        found = router.route(each.query)
        if found is None:
            msg = "a covered question has no group"
            raise AssertionError(msg)
        ours, truth = sums[found.group.id]
        total += each.weight * (ours.total(each.query) - truth.total(each.query)) ** 2
    return total


def _as_it_is(values: np.ndarray, total: int | None = None) -> np.ndarray:
    """No post-processing: the paper's errors are those of the noise."""
    del total
    return noisy(values, np.zeros_like(values))
