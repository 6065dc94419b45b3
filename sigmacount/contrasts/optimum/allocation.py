"""Allocation: the scale of the noise of every set that makes the mean error least.

With strategies of sensitivity Δ_S and covariance Σ_S at σ = 1, noise of scale σ_S
costs a log Σ_S (σ_S/Δ_S)² G_S and the ledger Σ_S Δ_S²/(2σ_S²), where G_S is the
energy Δ_S² Σ_q w_q cᵀΣ_S c. The least error for ρ is C²/(2ρ), C = Σ_S √G_S, at

    σ_S² = Δ_S² · (C / 2ρ) / √G_S.

The optimum is flat, so scales are rounded to eighths of a power of two and then
moved together until the whole numbers of the price meet the budget: sets of one scale
are drawn together. Prices are exact; the floats here only choose among scales.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.measured_set import MeasuredSet
from sigmacount.contrasts.measurement import ContrastMeasurement
from sigmacount.contrasts.rungs import ContrastSet, attributes_of
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.errors import InvalidPlan, NoiseTooWide
from sigmacount.mechanisms import PICO, Amount

FREE: Final = 1e-12  # of all energy: a set with less is not released at all
LEAST: Final = 1e-4  # of C: no released set is given less, however little is asked
LEAST_IN_ALL: Final = 1e-2  # of C: what that may take from the other sets together
STEPS: Final = 8  # scales in a factor of two: V × 1.003, and 24 scales for 66
ROOM: Final = 1 + 2.0**-40  # rounding errors of the scales stay below 2^-49
FARTHEST: Final = 2**62  # |A·M + z|, with room to add in int64
DEVIATIONS: Final = 10  # of z: farther one draw in 10^23 goes

Energy = Mapping[ContrastSet, float]


@dataclass(frozen=True, slots=True)
class Roots:
    """√G of the sets that are released, and how many were left out.

    Attributes:
        total: C.
    """

    of: Mapping[ContrastSet, float]

    @property
    def total(self) -> float:
        """See the attributes."""
        return math.fsum(self.of.values())


def roots(energy: Energy) -> Roots:
    """√G_S of the sets worth a release, tiny ones raised.

    A set whose energy is next to nothing would be given noise next to infinite, and
    whoever fits tables to such an estimate loses every digit of the others.
    """
    nothing = FREE * math.fsum(energy.values())
    found = {s: math.sqrt(g) for s, g in energy.items() if g > 0 and g >= nothing}
    least = min(LEAST, LEAST_IN_ALL / max(1, len(found))) * math.fsum(found.values())
    return Roots({s: max(root, least) for s, root in found.items()})


def allocated(
    grid: Grid,
    strategies: Mapping[ContrastSet, SetStrategy],
    energy: Energy,
    budget: Amount,
    held: Mapping[ContrastSet, float] | None = None,
) -> ContrastMeasurement:
    """The measurement of least mean error that costs at most ``budget``.

    Its price is at least 0.9999 of the budget, but for budgets of a few pico-ρ a set.

    ``held`` is the precision Σ Δ²/σ² (rows⁻²) that earlier measurements by the same
    strategies gave a set. Precisions add up, so nothing is paid twice.

    Raises:
        InvalidPlan: the budget is too small for noise that int64 holds; the caller
            spends more, or leaves sets out.
    """
    wanted = _lacking(roots(energy).of, held or {}, 2 * budget.units / PICO)
    steps = {s: _step(strategies[s], precision) for s, precision in wanted.items()}
    squared: Counter[int] = Counter()
    for each, step in steps.items():
        squared[step] += strategies[each].squared_sensitivity
    scale = _scale(squared, budget.units - len(steps))
    deviation = {step: scale * 2 ** (step / STEPS) for step in squared}
    parts = {
        each: MeasuredSet(each, strategies[each], deviation[step])
        for each, step in steps.items()
    }
    try:
        return ContrastMeasurement.of(grid, parts)
    except ValueError:
        msg = f"{budget} are too few for noise on {len(steps):,} attribute sets"
        raise InvalidPlan(msg) from None


def _lacking(
    roots: Mapping[ContrastSet, float],
    held: Mapping[ContrastSet, float],
    spent: float,
) -> Mapping[ContrastSet, float]:
    """The precisions that are to be bought, but for what all have in common.

    Every set is lifted to the same multiple of its root, unless it is there already.
    What would be lifted by next to nothing is left as it is.
    """
    if not held:
        return roots
    order = sorted(roots, key=lambda s: held.get(s, 0.0) / roots[s])
    level, there, root = 0.0, 0.0, 0.0
    for each in order:
        x = held.get(each, 0.0)
        if root and x / roots[each] >= (spent + there) / root:
            break
        there, root = there + x, root + roots[each]
        level = (spent + there) / root
    lacking = {s: level * r - held.get(s, 0.0) for s, r in roots.items()}
    least = LEAST_IN_ALL / len(roots) * spent
    return {s: precision for s, precision in lacking.items() if precision > least}


def within_int64(measurement: ContrastMeasurement, rows_max: int) -> None:
    """Refuse a measurement whose numbers may leave int64 for so many rows.

    Raises:
        InvalidPlan: a number or its noise may reach 2^62; the caller takes strategies
            of smaller entries, or more budget.
    """
    for part in measurement.parts:
        reach = part.strategy.largest * rows_max + math.ceil(
            DEVIATIONS * part.deviation
        )
        if reach >= FARTHEST:
            over = attributes_of(part.attributes)
            names = [measurement.grid.schema.names[i] for i in over]
            msg = (
                f"counts of ({', '.join(names)}) for {rows_max:,} rows may reach"
                f" {reach:,}, and 2^62 is the limit of whole numbers here"
            )
            raise InvalidPlan(msg)


def refuse_wider(made: ContrastMeasurement, widest: float) -> None:
    """Refuse a measurement whose noise no counter holds over time.

    Raises:
        NoiseTooWide: a σ above ``widest``; the caller takes more budget, or the
            operator a shorter horizon.
    """
    most = max(made.parts, key=lambda part: part.deviation)
    if most.deviation > widest:
        over = attributes_of(most.attributes)
        names = ", ".join(made.grid.schema.names[i] for i in over)
        msg = (
            f"noise on ({names}) needs σ = {most.deviation:,.0f}, and counters of this"
            f" horizon hold {widest:,.0f}; spend more on the plan, or take a shorter"
            " SIGMA_PRIVACY_HORIZON"
        )
        raise NoiseTooWide(msg)


def _step(strategy: SetStrategy, precision: float) -> int:
    """log₂ σ in eighths, to nearest, but for what all sets have in common."""
    return round(STEPS * math.log2(strategy.squared_sensitivity / precision) / 2)


def _scale(squared: Mapping[int, int], units: int) -> float:
    """What all scales are multiplied by, so that Σ Δ²/(2σ²) is ``units`` pico-ρ.

    Rounded up by more than its floats may be off: a price is rounded up set by set,
    and for that the caller leaves a unit each. Infinite where no unit is left.
    """
    if units < 1:
        return math.inf
    asked = math.fsum(d / 4 ** (step / STEPS) for step, d in squared.items())
    return math.sqrt(asked * PICO / (2 * units)) * ROOM
