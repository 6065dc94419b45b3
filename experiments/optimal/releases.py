"""Releases: joint plans drawn again and again, and what their answers are worth.

Noise is OpenDP's, counts are the rows' own, and every answer goes the way that the
service takes: noisy units, fit, whole tables, ``Answerers``. Noise of a table of more
than 2^16 cells is drawn once and dealt again with new signs (``Noises``). A joint
release has its noise in common, so the mean squared error of one may be a third off.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.errors import Noises
from experiments.optimal.plans import joint_of
from sigmacount.contrasts import AttributeSet
from sigmacount.release import (
    CONFIDENCE,
    Answerer,
    Answerers,
    EpochArrays,
    EpochMaker,
    JointPlan,
    Plan,
    simplex,
    tally,
)

ErrorArray = NDArray[np.float64]
PAIRS: Final = 3_000  # of tables that are compared, when there are more
SEED: Final = 20230101


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedErrors:
    """What so many releases of one plan answered, less the truth.

    Shapes: unbiased, fitted float64 (R, Q); variance float64 (Q,), as answers state it;
    inside bool (R, Q), whether the interval held the truth; steps int64 (R,), of the
    fit; broken int64 (R, 2): nested pairs out of order, before the fit and after.

    Attributes:
        pairs: nested pairs that were looked at in each release.
        disagreeing: pairs of tables that told different counts of what they share.
        lowest: the least cell of any table, in the units of the table.
        mixed: in how many releases the fit needed some of a flat table.
    """

    asked: AskedRows
    unbiased: ErrorArray
    fitted: ErrorArray
    variance: ErrorArray
    inside: NDArray[np.bool_]
    steps: NDArray[np.int64]
    broken: NDArray[np.int64]
    pairs: int
    disagreeing: int
    lowest: int
    mixed: int

    @property
    def predicted(self) -> float:
        """Mean variance of the answers, as they state it (rows²)."""
        return float(self.variance @ self.asked.shares)

    @property
    def before(self) -> tuple[float, float]:
        """Mean squared error without the fit (rows²), and its standard error."""
        return mean_and_error(self.asked.error(self.unbiased))

    @property
    def after(self) -> tuple[float, float]:
        """The same as served."""
        return mean_and_error(self.asked.error(self.fitted))

    @property
    def ratio(self) -> tuple[float, float]:
        """Error after the fit over that before, on the same draws; ± standard error."""
        before, after = (
            self.asked.error(each) for each in (self.unbiased, self.fitted)
        )
        ratio = float(after.sum() / before.sum())
        spread = float(np.std(after - ratio * before, ddof=1))
        return ratio, spread / float(before.mean()) / math.sqrt(len(before))

    @property
    def coverage(self) -> tuple[float, float]:
        """Share of the answers whose interval held the truth; ± standard error."""
        return mean_and_error(self.inside @ self.asked.shares)


def mean_and_error(values: ErrorArray) -> tuple[float, float]:
    """The mean of independent values and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def released(plan: Plan, asked: AskedRows, releases: int) -> ReleasedErrors:
    """So many releases of a joint plan that holds every question."""
    made = list(_releases(plan, asked, releases))
    told = np.array([each.told for each in made])
    unbiased, fitted, inside, stated = told.swapaxes(0, 1)
    broken = [[asked.broken(a) for a in each.told[:2]] for each in made]
    return ReleasedErrors(
        asked,
        unbiased - asked.true,
        fitted - asked.true,
        stated[0],
        inside.astype(np.bool_),
        np.array([each.steps for each in made]),
        np.array(broken),
        len(asked.nested[0]),
        made[0].apart,
        min(each.lowest for each in made),
        sum(each.mixed > 0 for each in made),
    )


class _Release(NamedTuple):
    """What one release told, float64 (4, Q) as ``_told`` says, and of its tables."""

    told: ErrorArray
    steps: int
    mixed: float
    lowest: int
    apart: int  # in the first release; 0 in others, which are made alike


def _releases(plan: Plan, asked: AskedRows, number: int) -> Iterator[_Release]:
    """One after the other; a fit begins where the last one ended."""
    tallies = {each.id: tally(each, asked.codes, asked.counts) for each in plan.tallied}
    maker, answerers, dealt = EpochMaker(simplex), Answerers(), Noises(SEED)
    contrasts = joint_of(plan).measurements
    for turn in range(number):
        tables = zip(plan.groups, dealt.tables(plan.groups), strict=True)
        noises = {group.id: noise for group, noise in tables}
        noises |= {unit.id: unit.mechanism.draw(unit.draws) for unit in contrasts}
        made = maker.arrays(plan, tallies, noises)
        told = _told(answerers.of(plan, made.noisy, made.counts), asked)
        lowest = min(int(each.min()) for each in made.counts.values())
        apart = 0 if turn else disagreeing(plan, made)
        yield _Release(told, made.steps or 0, made.mixed, lowest, apart)


def _told(answers: Answerer, asked: AskedRows) -> ErrorArray:
    """Unbiased answers, fitted ones, truth within the interval, variances as stated.

    Shapes: float64 (4, Q).
    """
    said = np.empty((4, len(asked.queries)))
    for k, (query, true) in enumerate(zip(asked.queries, asked.true, strict=True)):
        found = answers.answer(query, CONFIDENCE)
        if found is None:
            msg = "a question of the log is not in the joint plan"
            raise AssertionError(msg)
        estimate, (low, high) = found.estimate, found.estimate.interval
        inside = low <= true <= high
        said[:, k] = estimate.noisy, estimate.count, inside, estimate.stderr**2
    return said


def disagreeing(plan: Plan, made: EpochArrays) -> int:
    """Pairs of tables that count what they share differently; exact whole numbers."""
    joint = joint_of(plan)
    pairs = list(itertools.combinations(joint.tables, 2))
    if len(pairs) > PAIRS:
        rng = np.random.default_rng(SEED)
        pairs = [pairs[k] for k in rng.choice(len(pairs), PAIRS, replace=False)]
    return sum(_apart(joint, made, one, other) for one, other in pairs)


def _apart(
    joint: JointPlan, made: EpochArrays, one: AttributeSet, other: AttributeSet
) -> bool:
    """Whether two tables tell different counts of the attributes of both."""
    both = tuple(i for i in one if i in other)
    margins = []
    for table in (one, other):
        cells = made.counts[joint.algebra(table).id].reshape(joint.grid.shape(table))
        gone = tuple(axis for axis, i in enumerate(table) if i not in both)
        margins.append(
            cells.sum(axis=gone)
            // (joint.denominator(table) // joint.denominator(both))
        )
    return not np.array_equal(*margins)
