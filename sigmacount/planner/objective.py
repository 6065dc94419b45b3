"""Objective: what a choice of clusters of attributes would cost on the log.

A cluster S of |Ω_S| atoms that answers the shapes a ⊆ S given to it makes the error
W_S · 2/ε_S², W_S = |Ω_S| · Σ fraction_a. At the best split of B the total is
2 (Σ (W_S n_S²)^{1/3})³ / B² (``theorems.least_error``), so one shape more costs S

    price_S · fraction_a,    price_S = 2 C² x_S / (B² R_S),
    x_S = (W_S n_S²)^{1/3},  C = Σ x_S,  R_S = Σ fraction_a,

whatever the shape: each takes the cheapest cluster that holds it.

A shape that nothing holds is fresh. It errs by the noise of its own ε, and each of
its distinct queries draws on the ledger (a memo makes repeats free). If those charges
F had to come out of B as well, every ε would shrink by B / (B + F) and every error
would grow by its square; so the score is error · (1 + F/B)², and coverage counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import PARALLEL, Composition
from sigmacount.continual import ErrorGrowth, horizon_for
from sigmacount.mechanisms import Amount, DiscreteLaplace, Measure, Mechanism
from sigmacount.release import Group
from sigmacount.sets import Workload

MOST_ATOMS: Final = 2**21  # of one group: 16 MiB an epoch, 20 s of noise once
MOST_GROUPS: Final = 64  # routing asks each of them
MOST_IN_ALL: Final = 2**22  # of a plan: an epoch stays within a few seconds
MOST_ROWS: Final = 10**9  # where a declaration says nothing of it
FRESH_EPOCHS: Final = 128  # that the counter of a fresh question is rated for
LAST_RESORT: Final = 1e300  # price of being fresh: any cluster that holds it is taken


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan may spend and hold.

    Attributes:
        budget: for all new groups.
        fresh: the noise of one fresh query.
        mechanism: the noise that a group is given for its part of the budget.
        rows_max: what the declaration says of how many rows there may be.
        unasked: η, what questions on one or two attributes that nobody asked yet weigh
            in a joint plan, beside 1 of the whole log.
        over_time: how errors grow where all epochs cost one charge; None: an answer
            errs by what is drawn for it.
    """

    budget: Amount
    fresh: Mechanism
    rule: Composition = PARALLEL
    max_atoms: int = MOST_ATOMS
    max_total_atoms: int = MOST_IN_ALL
    max_groups: int = MOST_GROUPS
    mechanism: Callable[[Amount], Mechanism] = DiscreteLaplace
    rows_max: int = MOST_ROWS
    unasked: float = 0.0
    over_time: ErrorGrowth | None = None

    @property
    def fresh_error(self) -> float:
        """Variance of a fresh answer, where it is told for the first time (rows²)."""
        if self.over_time is None or self.budget.measure is Measure.EPSILON:
            return self.fresh.variance
        return self.fresh.variance * ErrorGrowth.of(Measure.RHO, FRESH_EPOCHS).first

    def grown(self, error: float) -> float:
        """What answers err on average in time that err so much when shown once.

        Fresh ones are taken to be asked in every epoch too, so that plans are compared
        by their noise alone.
        """
        return error if self.over_time is None else error * self.over_time.mean

    @property
    def widest(self) -> float:
        """σ up to which counters hold the noise of a plan, said as if shown once."""
        if self.over_time is None or self.budget.measure is Measure.EPSILON:
            return math.inf
        return horizon_for(self.over_time.epochs).widest_once

    @property
    def fresh_charge(self) -> Amount:
        """What one fresh query draws on the budget."""
        return self.fresh.price.charged_in(self.budget.measure)

    def burden(self, error: float, charge: float) -> float:
        """Error as if the charges of fresh queries came out of the same budget.

        Units: ``charge`` in units of the budget.
        """
        return error * (1 + charge / self.budget.units) ** 2


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """Predicted error of any choice of clusters, some groups kept at no cost.

    Shapes (N classes of shapes, c attributes):
        cells      float64 (c,)  blocks of each attribute
        masks      int64 (N,)    bit j is set when attribute j is active
        fraction   float64 (N,)  atoms summed, in units of |Ω_S|, times share of log
        share      float64 (N,)  share of the log, by weight
        otherwise  float64 (N,)  error without a new cluster (rows²): kept or fresh
        charge     float64 (N,)  units drawn without a new cluster: 0 when kept
        threshold  float64 (N,)  dearest price a new cluster may ask for the shape
    """

    terms: PlanOptions
    cells: NDArray[np.float64]
    masks: NDArray[np.int64]
    fraction: NDArray[np.float64]
    share: NDArray[np.float64]
    otherwise: NDArray[np.float64]
    charge: NDArray[np.float64]
    threshold: NDArray[np.float64]
    room: int  # atoms that new clusters may have together
    most: int  # how many new clusters there may be
    effort: float = 1.0  # of a search; less when several share the time

    @staticmethod
    def of(
        demand: Workload,
        terms: PlanOptions,
        kept: Sequence[Group] = (),
        effort: float = 1.0,
    ) -> Objective:
        """The objective of clusters beside the groups that are ``kept``."""
        error = np.full(len(demand.masks), np.inf)
        for group in kept:
            error = np.minimum(error, demand.atoms_in(group.algebra) * group.variance)
        fresh = np.isinf(error)
        alone = demand.share * terms.fresh.variance
        masks = demand.masks
        columns: list[NDArray[np.float64]] = [
            demand.fraction,
            demand.share,
            np.where(fresh, alone, error),
            np.where(fresh, demand.distinct * terms.fresh_charge.units, 0.0),
        ]
        if not kept:  # new clusters treat all shapes of one active set alike
            masks, where = np.unique(masks, return_inverse=True)
            columns = [_added(where, each, len(masks)) for each in columns]
        fraction, share, otherwise, charge = columns
        price = np.where(charge > 0, LAST_RESORT, otherwise / fraction)
        cells = np.array([block.max() + 1 for block in demand.blocks], np.float64)
        room = terms.max_total_atoms - sum(group.algebra.size for group in kept)
        most = terms.max_groups - len(kept)
        sizes = room, most, effort
        return Objective(
            terms, cells, masks, fraction, share, otherwise, charge, price, *sizes
        )

    @property
    def epsilon(self) -> float:
        """B as a float, for predictions."""
        return self.terms.budget.epsilon

    @property
    def everything(self) -> int:
        """The mask of all attributes that the log constrains."""
        return (1 << len(self.cells)) - 1

    def volume(self, mask: int) -> float:
        """|Ω_S|: product of the blocks of these attributes."""
        volume = 1.0
        while mask:
            bit = mask & -mask
            volume *= float(self.cells[bit.bit_length() - 1])
            mask ^= bit
        return volume

    def holds(self, mask: int) -> NDArray[np.bool_]:
        """Whether a cluster over these attributes answers the shape: bool (N,)."""
        held: NDArray[np.bool_] = (self.masks & ~np.int64(mask)) == 0
        return held


def _added(
    where: NDArray[np.intp], column: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """The column, added up by class."""
    return np.bincount(where, column, count).astype(np.float64, copy=False)
