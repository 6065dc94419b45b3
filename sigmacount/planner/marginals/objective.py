"""Objective: mean error of a log when overlapping noisy marginals are combined.

A query is a sum of components, one for each subset S of its attributes (Efron-Stein);
E_S is the mean square of that component over the log. The table over U, each cell with
Laplace noise of share e_U of the budget, tells every component S ⊆ U with precision
e_U²/N_U in units of B²/2, N_U being its cells. Least squares adds up precisions, so

    V = Σ_S E_S / λ_S,   λ_S = h_S + Σ_{U ⊇ S} e_U²/N_U,   Σ e_U = 1,

and the mean error is 2V/B². What tables of an earlier plan tell already is h_S, or 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import AttributeSet, Grid

FREE: Final = 1e-20  # of all energy: rounding; what a question asks is above it
BITS: Final = 8  # of a mask that are looked up together
LEAST: Final = 1e-10  # of all energy: for it alone, one part in 2,000 of ε or so
RealArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MarginalObjective:
    """V of any choice of tables, and what a table adds to the precision of each set.

    A table, and a set, is a mask here: bit j stands for the j-th attribute of the grid.

    Shapes (c attributes, N sets):
        cells   float64 (c,)  blocks of each attribute
        masks   int64 (N,)    the sets whose components the log asks for
        energy  float64 (N,)  E_S > 0
        held    float64 (N,)  h_S, in the same units as e_U²/N_U
    """

    cells: RealArray
    masks: NDArray[np.int64]
    energy: RealArray
    held: RealArray
    _volumes: tuple[list[float], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        cells = self.cells.tolist()
        parts = (cells[at : at + BITS] for at in range(0, len(cells), BITS))
        object.__setattr__(self, "_volumes", tuple(map(_volumes_within, parts)))

    @staticmethod
    def of(
        grid: Grid,
        energies: Mapping[AttributeSet, float],
        held: Mapping[AttributeSet, float] | None = None,
    ) -> MarginalObjective:
        """The objective of these E_S, and h_S, over the attributes of a grid.

        Sets that the log asks next to nothing of are left out, and the least of the
        others are raised: a table of next to no ε would answer by noise alone.
        """
        bit = {attribute: 1 << j for j, attribute in enumerate(grid.attributes)}
        masks = np.array([sum(bit[i] for i in each) for each in energies], np.int64)
        energy = np.array(list(energies.values()), np.float64)
        known = held or {}
        told = np.array([known.get(each, 0.0) for each in energies], np.float64)
        asked = energy > FREE * energy.sum()
        return MarginalObjective(
            np.array(grid.shape(grid.attributes), np.float64),
            masks[asked],
            np.maximum(energy[asked], LEAST * energy.sum()),
            told[asked],
        )

    @property
    def everything(self) -> int:
        """The mask of all attributes that some set has."""
        return int(np.bitwise_or.reduce(self.masks, initial=0))

    def volume(self, mask: int) -> float:
        """N_U: cells of a table; asked for millions of times, so looked up."""
        volume = 1.0
        for volumes in self._volumes:
            volume *= volumes[mask % len(volumes)]
            mask >>= BITS
        return volume

    def rows(self, tables: Sequence[int]) -> RealArray:
        """1/N_U where the table tells the set, 0 where it does not: (K, N)."""
        chosen = np.array(tables, np.int64).reshape(-1, 1)
        volumes = np.array([self.volume(each) for each in tables]).reshape(-1, 1)
        told: RealArray = ((self.masks & ~chosen) == 0) / volumes
        return told

    def precision(self, rows: RealArray, shares: RealArray) -> RealArray:
        """λ_S by tables of these rows at these shares, and by what is held: (N,)."""
        total: RealArray = self.held + np.square(shares) @ rows
        return total

    def value(self, rows: RealArray, shares: RealArray) -> float:
        """V of tables of these rows at these shares; infinite if a set is left out."""
        precision = self.precision(rows, shares)
        with np.errstate(divide="ignore"):
            return float((self.energy / precision).sum())


def _volumes_within(cells: Sequence[float]) -> list[float]:
    """Product of those that a mask takes, for every mask."""
    volumes = [1.0]
    for blocks in cells:
        volumes += [volume * blocks for volume in volumes]
    return volumes
