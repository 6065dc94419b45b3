"""MeasuredSet: one attribute set, its integer matrix, and the scale of its noise.

On the wire sets of equal matrices and scales lie together; what arrives is read with
suspicion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sigmacount.contrasts.covariance import Covariance
from sigmacount.contrasts.grid import MOST_CELLS, Grid
from sigmacount.contrasts.rungs import RUNG, ContrastSet, Rung, factor_of
from sigmacount.contrasts.strategies.effort import Effort
from sigmacount.contrasts.strategies.kinds import strategy_for
from sigmacount.contrasts.strategies.product import ProductStrategy
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.mechanisms import DiscreteGaussian


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A·M + z for the table M over one attribute set, z of scale σ.

    Attributes:
        attributes: of the set; of contrasts of a later rung also which.
        noise: its σ and Δ², and so its price.
    """

    attributes: ContrastSet
    strategy: SetStrategy
    deviation: float  # σ, in units of the numbers measured

    @property
    def noise(self) -> DiscreteGaussian:
        """See the attributes."""
        return DiscreteGaussian(self.deviation, self.strategy.squared_sensitivity)

    def of(self, grid: Grid) -> bool:
        """Whether the matrix measures these contrasts of a grid."""
        if not grid.holds(self.attributes, self.strategy.shape):
            return False
        rungs = grid.rungs(self.attributes)
        own = self.strategy.rungs if isinstance(self.strategy, ProductStrategy) else ()
        if all(rung.plain for rung in (*rungs, *own)):
            return True
        return [rung.key for rung in own] == [rung.key for rung in rungs]

    @property
    def precision(self) -> float:
        """Δ²/σ² (rows⁻²): what it costs in 2ρ, and what adds up if it is repeated."""
        return self.strategy.squared_sensitivity / self.deviation**2

    @property
    def covariance(self) -> Covariance:
        """Of the estimated coefficients â (rows²)."""
        return self.strategy.unit_covariance.scaled(self.deviation**2)


def to_wire(parts: Iterable[MeasuredSet]) -> list[dict[str, object]]:
    """Sets of one kind of matrix and one σ are one entry: few for many sets."""
    alike: dict[tuple[str, str, str], list[MeasuredSet]] = {}
    for part in parts:
        about = part.deviation.hex(), part.strategy.kind, part.strategy.key
        alike.setdefault(about, []).append(part)
    return [
        {
            "deviation": deviation,
            "kind": kind,
            "strategy": parts[0].strategy.to_wire(),
            "sets": [[*map(_written, part.attributes)] for part in parts],
        }
        for (deviation, kind, _), parts in alike.items()
    ]


def from_wire(grid: Grid, form: object, most: int, effort: Effort) -> list[MeasuredSet]:
    """The sets of ``to_wire``, in no order.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: malformed, more than
            ``most``, or more work than is left; whoever reads the message says so.
    """
    if not isinstance(form, list):
        raise TypeError
    found: list[MeasuredSet] = []
    for row in form:
        found += _parts(grid, row, most - len(found), effort)
    return found


def _parts(
    grid: Grid, row: Mapping[str, object], most: int, effort: Effort
) -> Iterator[MeasuredSet]:
    """The sets of one entry."""
    written, sets = row["deviation"], row["sets"]
    if not isinstance(written, str) or not isinstance(sets, list):
        raise TypeError
    deviation = float.fromhex(written)
    if not math.isfinite(deviation) or deviation.hex() != written or len(sets) > most:
        raise ValueError
    known: dict[tuple[Rung, ...], SetStrategy] = {}  # a matrix takes a while
    for each in sets:
        contrasts = _contrasts(grid, each)
        rungs = grid.rungs(contrasts)
        if rungs not in known:
            kind = str(row["kind"])
            effort.take(kind, rungs)
            known[rungs] = strategy_for(kind, rungs, row["strategy"])
        yield MeasuredSet(contrasts, known[rungs], deviation)


def _contrasts(grid: Grid, form: Iterable[object]) -> ContrastSet:
    """Contrasts of the grid, ascending, and so few cells that they can be counted."""
    factors: list[int] = []
    for each in form:
        if len(factors) >= len(grid.attributes):
            raise TypeError
        factors.append(_factor(each))
    found = tuple(factors)
    shape = grid.shape_of(found)
    if not grid.holds(found, shape) or math.prod(shape) > MOST_CELLS:
        raise ValueError
    return found


def _factor(form: object) -> int:
    """An attribute, or [attribute, rung] of a later rung."""
    if type(form) is int and 0 <= form < RUNG:
        return form
    if not isinstance(form, list) or [*map(type, form)] != [int, int]:
        raise TypeError
    attribute, rung = form
    if not 0 <= attribute < RUNG or rung < 1:
        raise ValueError
    return factor_of(attribute, rung)


def _written(factor: int) -> int | list[int]:
    """The reverse."""
    rung, attribute = divmod(factor, RUNG)
    return [attribute, rung] if rung else attribute
