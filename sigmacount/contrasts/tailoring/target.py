"""Target: what the strategies of a set are judged on: a log, and what will follow it.

A log that mostly asks the same questions again tells what the next one will ask, set
by set. One whose questions are each asked once tells less of a set than of the single
attributes. The share of what is asked once is the chance that the next question is new
(Good and Turing), so it decides how much a set is taken for the product of what its
attributes are asked for. A strategy shaped on the log alone would be much the better on
it, and worse than the isotropic one on the questions of the next week.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.tailoring.balancing import Reals
from sigmacount.contrasts.tailoring.gridded_log import AttributeRoots, GriddedLog

RIDGE: Final = 0.03  # of the mean energy of a contrast, for each of them
LEAST_NEW: Final = 0.1  # of the log's energy: some questions are new in any log
MOST_NEW: Final = 1e3  # the log itself hardly counts beside that


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """tr(T_SΣ) is to be least: T_S = Gram_S + t_S (r/p·I + n_S·⊗H_i), t_S = tr Gram_S.

    Attributes:
        moments: H_i, of trace 1, what is asked of the contrasts of an attribute.
        energies: t_S of every set that the log needs.
        new: n_S = ν/(1 − ν), ν the share of t_S in questions that were asked once.
    """

    log: GriddedLog
    moments: Mapping[int, Reals]
    energies: Mapping[AttributeSet, float]
    new: Mapping[AttributeSet, float]

    @staticmethod
    def of(log: GriddedLog, moments: Mapping[int, Reals]) -> Target:
        """The target of a log."""
        units = {i: np.eye(log.grid.size_of(i) - 1) for i in log.grid.attributes}
        energies = {s: t for s, t in log.energies(units).items() if t > 0}
        once = log.asked_once().energies(units)
        new = {s: _odds(once.get(s, 0.0) / t) for s, t in energies.items()}
        return Target(log, moments, energies, new)

    def isotropic(self, attributes: AttributeSet) -> float:
        """tr(T_SΣ) of the isotropic strategy at unit sensitivity, Σ = p·I."""
        p = self.log.grid.contrasts(attributes)
        return p * self.energies[attributes] * (1 + RIDGE + self.new[attributes])

    def products(self, roots: AttributeRoots) -> dict[AttributeSet, float]:
        """tr(T_SΣ) of Σ = ⊗L_iᵀL_i, for every set that the log needs."""
        seen = self.log.energies(roots)
        flat = {i: float(np.square(root).sum()) for i, root in roots.items()}
        shaped = {
            i: float(np.sum(root @ self.moments[i] * root)) for i, root in roots.items()
        }
        return {
            s: seen[s]
            + t * RIDGE / self.log.grid.contrasts(s) * math.prod(flat[i] for i in s)
            + t * self.new[s] * math.prod(shaped[i] for i in s)
            for s, t in self.energies.items()
        }

    def matrix(self, attributes: AttributeSet, gram: Reals) -> Reals:
        """T_S from Gram_S: float64 (p, p)."""
        p, t = len(gram), self.energies[attributes]
        shaped = _kronecker([self.moments[i] for i in attributes])
        return gram + t * (RIDGE / p * np.eye(p) + self.new[attributes] * shaped)


def _kronecker(matrices: Sequence[Reals]) -> Reals:
    """⊗ of them: the product over all attributes of a set."""
    made: Reals = np.ones((1, 1))
    for each in matrices:
        made = np.kron(made, each).astype(np.float64)
    return made


def _odds(share: float) -> float:
    """ν/(1 − ν), between the least and the most."""
    odds = share / (1 - share) if share < 1 else MOST_NEW
    return min(max(LEAST_NEW, odds), MOST_NEW)
