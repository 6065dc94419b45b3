"""Strategies of attributes: a covariance of its own for each, from the whole log."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from sigmacount.contrasts.axes import orthonormal
from sigmacount.contrasts.tailoring.balancing import Reals, balanced, ridged
from sigmacount.contrasts.tailoring.gridded_log import GriddedLog

FEWEST_BLOCKS: Final = 3  # the contrast of two blocks has no shape to choose
MOST_BLOCKS: Final = 512  # a step solves two eigenvalue problems of this size
ROUNDS: Final = 3  # each attribute's best depends on the others'; it settles at once
STEPS: Final = 200
RIDGE: Final = 1e-3  # of the mean: a contrast that nobody asked for is measured too


@dataclass(frozen=True, slots=True, eq=False)
class AttributeShapes:
    """What the log asks of the contrasts of each attribute, and how best to tell it.

    With G_S the energy of a set at unit sensitivity, V = (Σ √G_S)². Its derivative by
    Σ_i is Γ_i, a moment of the log that weighs a set by 1/(2√G_S) and a coefficient by
    what the other attributes make of it. X_i is the best information for Γ_i.

    Attributes:
        moments: Γ_i with a ridge, of trace 1, for every attribute of the grid; of those
            too small or too large to be shaped, I/p.
        information: X_i for those of three to 512 blocks that the log asks for.
    """

    moments: dict[int, Reals]
    information: dict[int, Reals]

    @staticmethod
    def of(log: GriddedLog) -> AttributeShapes:
        """All attributes move at once, a few times; few logs need more than two."""
        grid = log.grid
        sizes = {i: grid.size_of(i) for i in grid.attributes}
        shaped = [i for i, b in sizes.items() if FEWEST_BLOCKS <= b <= MOST_BLOCKS]
        roots = {i: isotropic_root(b) for i, b in sizes.items()}
        moments = {i: np.eye(b - 1) / (b - 1) for i, b in sizes.items()}
        found: dict[int, Reals] = {}
        for _ in range(ROUNDS if shaped else 0):
            energies = log.energies(roots)
            scale = {s: 0.5 / math.sqrt(g) for s, g in energies.items() if g > 0}
            asked = {i: log.moment(i, roots, scale) for i in shaped}
            for i in (i for i, moment in asked.items() if moment.any()):
                moment = ridged(asked[i], RIDGE)
                moments[i] = moment / np.trace(moment)
                found[i] = balanced(moments[i], orthonormal(sizes[i]), STEPS)
                roots[i] = root_of(found[i])
        return AttributeShapes(moments, found)


def isotropic_root(size: int) -> Reals:
    """L of the isotropic strategy at unit sensitivity: LᵀL = (b − 1)·I."""
    return math.sqrt(size - 1) * np.eye(size - 1)


def root_of(information: Reals) -> Reals:
    """L with LᵀL = X⁻¹."""
    values, vectors = np.linalg.eigh(information)
    root: Reals = (vectors / np.sqrt(values)).T
    return root
