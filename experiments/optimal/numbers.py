"""Numbers: the figures that were derived beforehand, and what came out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from experiments.measuring.workloads import law_value
from experiments.optimal.noise_alone import NoiseAlone
from experiments.optimal.plans import PlannedNoise, at_epsilon
from experiments.optimal.ranges import ShapedNoise
from experiments.optimal.reclustering import AT_MOST, ToppedUp
from experiments.optimal.releases import ReleasedErrors
from experiments.optimal.rivals import RivalErrors
from experiments.report.derived import DerivedNumber, about, at_most
from experiments.report.tables import ResultTable
from sigmacount.mechanisms import MICRO

TURBO: Final = "Turbo's Covid"
RATIOS: Final = {"10 columns": (0.75, 0.05), "21 columns": (0.43, 0.06)}
SERVED: Final = {  # as derived, and its standard error
    "demo, isotropic": (1_282, 47),
    "demo, pure": (2_029, 90),
    "10 columns": (240, 13),
    "10 columns, pure": (214, 18),
    "21 columns": (1_377, 116),
}
HEADER: Final = ("figure", "wanted", "measured", "±")
NOTE: Final = (
    "What was worked out before any of it was built. V is in units of 1/(2ρ) for"
    " contrasts with Gaussian noise, of 2/ε² for tables with Laplace noise; mean"
    " squared errors in rows², at ε = 1 and δ = 10⁻⁹. {releases} draws of the demo's"
    " noise alone: its mean squared error is within 6 % of what is predicted but for a"
    " false alarm in {alarm:.0e}, and noise of a σ that is 10 % off"
    " (a fifth of the error) is missed less often than that. ± is the standard error of"
    " a mean over releases; bounds hold for the mean itself, of which so many are drawn"
    " that it is three of them or more within. As served on other questions: at most"
    " four of the derived figure's standard errors above it; tables of which each"
    " question is read off one have no bound. A new log on old noise was worked out for"
    " isotropic contrasts, and is held to their optimum."
)


def of_values(plans: Mapping[str, PlannedNoise]) -> Iterator[DerivedNumber]:
    """V of every plan, and what it may be."""
    yield about("V, the paper's law, 10 columns", 9.626, 1e-3, law_value(10))
    yield about("V, the paper's law, 21 columns", 116.21, 1e-3, law_value(21))
    turbo, demo, even = plans[TURBO], plans["demo"], plans["demo, isotropic"]
    yield about("V, Turbo's Covid", 8.874, 1e-4, turbo.closed)
    yield about("V, Turbo's Covid, over its bound", 1, 1e-4, turbo.closed / turbo.bound)
    yield about("V, the demo, isotropic", 39.74, 1e-3, even.closed)
    yield about("V, the demo, as planned", 20.1, 0.02, demo.value)
    yield about("bound of V, the demo", 8.77, 1e-3, demo.bound)
    for name, plan in plans.items():
        if name.endswith("10 columns, pure"):
            yield about("V in ε, 10 columns", 139.0, 0.01, plan.value)
    yield about("V in ε, Turbo's Covid", 15.23, 1e-3, plans[f"{TURBO}, pure"].value)
    yield at_most("V in ε, the demo", 1_030, plans["demo, pure"].value)
    share = demo.spent / at_epsilon(1).budget.units
    yield DerivedNumber("share of ρ that is charged", "0.9999 to 1", share, 0.9999, 1.0)
    yield at_most("V after scales are rounded", 1.004, even.value / even.closed)
    yield at_most("cells that pay for more or less", 0, unequal_cells(even))


def unequal_cells(plan: PlannedNoise, sample: int = 40) -> int:
    """Cells of some that move a set's numbers by another Δ² than it is charged for.

    With isotropic contrasts every row moves them alike, so Σ Δ²/σ² is 2ρ for all.
    """
    rng = np.random.default_rng(0)
    wrong = 0
    for part in plan.joint.measurements[0].parts:
        shape = part.strategy.shape
        for _ in range(min(sample, math.prod(shape))):
            cell = np.zeros((1, *shape), np.int64)
            cell[(0, *rng.integers(shape))] = 1
            moved = part.strategy.measured(cell).ravel().tolist()
            wrong += sum(n * n for n in moved) != part.strategy.squared_sensitivity
    return wrong


def of_ranges(found: Sequence[ShapedNoise]) -> Iterator[DerivedNumber]:
    """The ranges and prefixes of 64 blocks."""
    for each in found:
        if each.blocks == 64:
            ranges = each.kind == "ranges"
            name, shaped = f"V, {each.kind} of 64 blocks", 5.57 if ranges else 4.83
            if ranges:
                yield about(f"{name}, isotropic", 13.56, 0.02, each.isotropic)
            yield about(f"{name}, shaped", shaped, 0.02, each.shaped)


def of_noise(found: NoiseAlone) -> Iterator[DerivedNumber]:
    """The demo's noise, drawn many times."""
    measured, off = found.measured
    ratios = found.ratios
    yield about("mean squared error, noise alone", 674.5, 0.06, measured, off)
    yield about("measured over predicted", 1, 0.06, measured / found.predicted)
    yield DerivedNumber(
        "the same of one question, least", "≥ 0.6", float(ratios.min()), low=0.6
    )
    yield at_most("the same of one question, most", 1.4, float(ratios.max()))
    share, off = found.coverage
    yield DerivedNumber("coverage of 95 %", "0.94 to 0.96", share, 0.94, 0.96, off)


def of_releases(seen: Mapping[str, ReleasedErrors]) -> Iterator[DerivedNumber]:
    """Fits and orders of all, and what is served."""
    yield at_most("fitted over unbiased, the demo", 1.0, *seen["demo"].ratio)
    for name, each, (share, within) in _among(seen, RATIOS):
        low, high, said = share - within, share + within, f"{share:g} ± {within:g}"
        ratio, off = each.ratio
        what = f"fitted over unbiased, {name}"
        yield DerivedNumber(what, said, ratio, low, high, off)
    every = list(seen.values())
    broken = max(int(each.broken[:, 1].sum()) for each in every)
    yield at_most("nested pairs out of order, of all", 0, broken)
    apart = max(each.disagreeing for each in every)
    yield at_most("pairs of tables that disagree", 0, apart)
    lowest = min(each.lowest for each in every)
    yield DerivedNumber("least cell of a table", "≥ 0", lowest, low=0)
    steps = max(int(each.steps.max()) for each in every)
    yield at_most("steps of a fit", 500, steps)
    yield at_most("mean squared error as served, the demo", 730, *seen["demo"].after)
    for name, each, (derived, spread) in _among(seen, SERVED):
        most, said = derived + 4 * spread, f"{derived:,g} ± {spread:g}, or less"
        served, off = each.after
        yield DerivedNumber(f"the same, {name}", said, served, high=most, off=off)


def _among(
    seen: Mapping[str, ReleasedErrors], derived: Mapping[str, tuple[float, float]]
) -> Iterator[tuple[str, ReleasedErrors, tuple[float, float]]]:
    """Those of which a figure was derived; their names begin with the table of rows."""
    for name, each in seen.items():
        for ending, figure in derived.items():
            if name.endswith(ending):
                yield name, each, figure


def of_rivals(found: Sequence[RivalErrors]) -> Iterator[DerivedNumber]:
    """What the demo's questions were served with until now."""
    for each in found:
        if each.served:
            served, off = each.served
            derived = "8,288 ± 335" if each.spent > MICRO else ""
            yield DerivedNumber(f"as served, {each.name}", derived, served, off=off)


def of_reclustering(found: Sequence[ToppedUp]) -> Iterator[DerivedNumber]:
    """A new log for 1 % more."""
    for each in found:
        if each.share in AT_MOST:
            name = f"V over the optimum, a new log at +{each.share:.0%} of ρ, all alike"
            yield at_most(name, AT_MOST[each.share], each.alike / each.best)


def table(numbers: Sequence[DerivedNumber], noise: NoiseAlone) -> ResultTable:
    """All of them, in order."""
    measured, off = noise.measured
    alarm = math.erfc(0.06 * measured / off / math.sqrt(2))
    note = NOTE.format(releases=len(noise.errors), alarm=alarm)
    rows = tuple(each.row() for each in numbers)
    return ResultTable("Numbers that must come out", HEADER, rows, note)
