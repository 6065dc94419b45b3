"""Least top-up: the error that no top-up of a plan, set by set, can go below.

With information X on the contrasts of a set, D ⪰ 0 more leaves a log the error
tr(Γ(X + D)⁻¹). A cell pays φᵀDφ for it, all cells together tr D on average, so the
dearest no less: Σ tr D ≤ 2Δρ. That is convex, and for any 0 ⪯ Q ⪯ λI its dual

    Σ 2·tr((Γ^½QΓ^½)^½) − tr(QX) − 2λΔρ

is below every error. Q and λ come from a top-up that is nearly the best; a worse one
would make the bound lower, never wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import ContrastSet, Covariance, GriddedWorkload, grams

HALVINGS: Final = 10  # of the range of λ
STEPS: Final = 12  # towards the best D of one λ: its error settles to a per cent
PRICES: Final = (1.0, 1e6)  # λ, in units of V
LEAST: Final = 1e-13  # of a Gram matrix's trace: rounding errors

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HeldSet:
    """What a log asks of one set, and what is known of it: Γ and X, (p, p) each."""

    gram: Matrix
    known: Matrix

    def added(self, price: float) -> Matrix:
        """D where tr D costs so much, nearly: a fixed point of D² = D·M·D/λ."""
        size = len(self.gram)
        found: Matrix = _root(self.gram) / math.sqrt(price) + 1e-9 * np.eye(size)
        for _ in range(STEPS):
            found = _root(found @ self.slope(found) @ found / price)
        return found

    def slope(self, added: Matrix) -> Matrix:
        """M = Y⁻¹ΓY⁻¹, Y = X + D: by how much more information would help."""
        inverse = np.linalg.pinv(self.known + added, hermitian=True)
        slope: Matrix = inverse @ self.gram @ inverse
        return slope

    def bound(self, added: Matrix, price: float) -> float:
        """The set's part of the dual, at the slope cut off at λ."""
        values, vectors = np.linalg.eigh(self.slope(added))
        cut = (vectors * values.clip(0, price)) @ vectors.T
        root = _root(self.gram)
        inner = np.linalg.eigvalsh(root @ cut @ root).clip(0)
        return float(2 * np.sqrt(inner).sum() - np.sum(cut * self.known))


def least_topped_up(
    asked: GriddedWorkload,
    covariances: Mapping[ContrastSet, Covariance],
    spent: float,
    share: float,
) -> float:
    """V that no top-up by a share of ρ goes below, whatever it measures of each set.

    In units of 1/(2ρ) of the ρ that was ``spent`` on what the covariances are of.
    """
    sets = asked.grid.sets_within(asked.active_sets)
    wanted = grams(asked.chunks(), sets, asked.grid)
    held = [
        HeldSet(gram, _known(covariances.get(each), len(gram)) / (2 * spent))
        for each, gram in wanted.items()
        if np.trace(gram) > LEAST
    ]
    low, high = PRICES
    for _ in range(HALVINGS):
        price = math.sqrt(low * high)
        added = [each.added(price) for each in held]
        dear = sum(float(np.trace(each)) for each in added) > share
        low, high = (price, high) if dear else (low, price)
    parts = (each.bound(more, price) for each, more in zip(held, added, strict=True))
    return math.fsum(parts) - price * share


def _known(covariance: Covariance | None, size: int) -> Matrix:
    """Information that there is: none of a set that was not measured."""
    if covariance is None:
        return np.zeros((size, size))
    return np.asarray(np.linalg.inv(covariance.matrix()), np.float64)


def _root(matrix: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(matrix)
    root: Matrix = (vectors * np.sqrt(values.clip(0))) @ vectors.T
    return root
