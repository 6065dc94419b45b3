"""GriddedLog: the coefficients of a query log on a grid, as second moments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.attribute_sets import AttributeSet
from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.gridded_workload import GriddedWorkload, WeightedTables
from sigmacount.contrasts.tailoring.balancing import Reals
from sigmacount.contrasts.tailoring.products import ProductQueries
from sigmacount.contrasts.tailoring.tables import TableQueries

SLACK: Final = 1 + 1e-9  # a share of the log times its weight is a float

AttributeRoots: TypeAlias = Mapping[int, Reals]  # L_i, (r_i, b_i − 1), of an attribute
LogPart: TypeAlias = ProductQueries | TableQueries


@dataclass(frozen=True, slots=True, eq=False)
class GriddedLog:
    """Queries of a log that fit a grid, those of one kind and active set together.

    Attributes:
        repeated: queries of a weight above 1.
        once: all others; what may be asked next is more like these.
    """

    grid: Grid
    repeated: tuple[LogPart, ...]
    once: tuple[LogPart, ...]

    @staticmethod
    def of(workload: GriddedWorkload, weight: float) -> GriddedLog:
        """The log of so many queries in all; a table's rows are queries as it is."""
        limit = SLACK / (weight or 1.0)
        repeated, once = (
            tuple(_parts(_of_kind(workload, limit, wanted))) for wanted in (False, True)
        )
        return GriddedLog(workload.grid, repeated, once)

    @property
    def parts(self) -> tuple[LogPart, ...]:
        """All of them."""
        return self.repeated + self.once

    def asked_once(self) -> GriddedLog:
        """The log of those alone, with the weights they have in the whole."""
        return GriddedLog(self.grid, (), self.once)

    def energies(self, roots: AttributeRoots) -> dict[AttributeSet, float]:
        """G_S = Σ_q w_q |⊗L_i c_S(q)|² of every set that the log needs."""
        found: dict[AttributeSet, float] = defaultdict(float)
        for part in self.parts:
            energies = part.energies([roots[i] for i in part.active])
            for slots, energy in np.ndenumerate(energies):
                found[_subset(part.active, slots)] += float(energy)
        return dict(found)

    def moment(
        self, attribute: int, roots: AttributeRoots, scale: Mapping[AttributeSet, float]
    ) -> Reals:
        """Γ_i = Σ_S∋i scale_S Σ_q w_q (energy of the other slots) c_i c_iᵀ: (p_i, p_i).

        Then tr(Γ_iΣ_i) = Σ_S∋i scale_S G_S, whatever covariance Σ_i has.
        """
        p = self.grid.size_of(attribute) - 1
        total = np.zeros((p, p))
        for part in self.parts:
            if attribute in part.active:
                axis = part.active.index(attribute)
                scales = np.zeros((2,) * len(part.active))
                for slots in np.ndindex(scales.shape):
                    scales[slots] = scale.get(_subset(part.active, slots), 0.0)
                own = [roots[i] for i in part.active]
                total += part.moment(axis, own, scales.take([1], axis).squeeze(axis))
        return total

    def grams(self, sets: Iterable[AttributeSet]) -> dict[AttributeSet, Reals]:
        """Gram_S = Σ_q w_q c_S(q)c_S(q)ᵀ of each: (p_S, p_S)."""
        sizes = {each: self.grid.contrasts(each) for each in sets}
        found = {each: np.zeros((p, p)) for each, p in sizes.items()}
        for part in self.parts:
            slots = list(np.ndindex((2,) * len(part.active)))
            subsets = {one: _subset(part.active, one) for one in slots}
            wanted = [one for one in slots if subsets[one] in found]
            for one, rows in zip(wanted, part.coefficients(wanted), strict=True):
                found[subsets[one]] += rows.T @ rows
        return found


def _of_kind(
    workload: GriddedWorkload,
    limit: float,
    wanted: bool,  # noqa: FBT001
) -> Iterator[WeightedTables]:
    """Queries up to the limit, or those above it; rows go with their table."""
    for active, weights, tables in workload.query_chunks():
        chosen = (weights <= limit) == wanted
        yield WeightedTables(active, weights[chosen], tables[chosen])
    for each in workload.rows:
        if (each.weight <= limit) == wanted:
            yield from each.chunks()


def _parts(chunks: Iterable[WeightedTables]) -> Iterator[LogPart]:
    """Products of one active set together, by their sides; all others as tables."""
    products: dict[AttributeSet, list[ProductQueries]] = defaultdict(list)
    for active, weights, tables in chunks:
        axes = range(1, tables.ndim)
        sides: list[NDArray[np.bool_]] = [
            np.asarray(tables.any(axis=tuple(k for k in axes if k != axis)))
            for axis in axes
        ]
        cells = np.prod([side.sum(1) for side in sides], axis=0, dtype=np.int64)
        plain = np.asarray(cells == tables.sum(axis=tuple(axes)))
        if plain.any():
            chosen = tuple(side[plain] for side in sides)
            products[active].append(ProductQueries(active, weights[plain], chosen))
        if not plain.all():
            yield TableQueries(active, weights[~plain], tables[~plain])
    for alike in products.values():
        yield ProductQueries.together(alike)


def _subset(active: AttributeSet, slots: Sequence[int]) -> AttributeSet:
    """The attributes whose slot is 1."""
    return tuple(i for i, slot in zip(active, slots, strict=True) if slot)
