"""Ranges: what strategies shaped for ranges over many blocks are worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.report.tables import ResultTable, TableRow
from sigmacount.contrasts import (
    Grid,
    GriddedWorkload,
    isotropic_energy,
    least_possible,
    least_variance,
    tailored,
)
from sigmacount.domain import Attribute, Schema

Side = NDArray[np.bool_]
BLOCKS: Final = (16, 32, 64, 100)
OFTEN: Final = 1e6  # questions in all: each was asked before, and will be again
ROWS_MAX: Final = 1_000_000
WITHIN: Final = 0.02
DERIVED: Final = {  # isotropic and shaped, by kind and blocks
    ("ranges", 16): (4.28, 3.18),
    ("ranges", 32): (7.47, 4.27),
    ("ranges", 64): (13.56, 5.57),
    ("ranges", 100): (20.2, 6.52),
    ("prefixes", 16): (4.83, 3.12),
    ("prefixes", 64): (14.8, 4.83),
    ("prefixes", 100): (21.7, 5.46),
}
KINDS: Final = ("ranges", "prefixes")
HEADER: Final = ("questions", "isotropic", "shaped", "derived", "bound", "/ bound")
NOTE: Final = (
    "V in units of 1/(2ρ) of all ranges, or all prefixes, of one attribute of so many"
    " blocks, each asked alike: isotropic contrasts, the planner's own strategy as it"
    " is rounded to integers, and the singular value bound. Bounds: isotropic and"
    " shaped within 2 % of the figures derived (prefixes 3 %: what is not"
    " asked is measured a little as well)."
)


@dataclass(frozen=True, slots=True)
class ShapedNoise:
    """V of one attribute's questions."""

    kind: str
    blocks: int
    isotropic: float
    shaped: float
    bound: float


def every(kind: str, blocks: int) -> list[Side]:
    """All ranges but the whole, or all prefixes, of so many blocks."""
    place = np.arange(blocks)
    if kind == "prefixes":
        return [place <= high for high in range(blocks - 1)]
    return [
        (place >= low) & (place <= high)
        for low in range(blocks)
        for high in range(low, blocks)
        if high - low < blocks - 1
    ]


def measured(kind: str, blocks: int) -> ShapedNoise:
    """What isotropic and shaped contrasts err on them."""
    levels = [str(level) for level in range(blocks)]
    schema = Schema("ranges", (Attribute.categorical("a", levels),))
    grid = Grid.of(schema, {0: np.arange(blocks)})
    sides = every(kind, blocks)
    asked = [(side, 1 / len(sides)) for side in sides]
    log = GriddedWorkload(grid, {(0,): asked}, (), 0.0, 0)
    shaped = tailored(log, OFTEN, [(), (0,)], ROWS_MAX)
    return ShapedNoise(
        kind,
        blocks,
        least_variance(isotropic_energy(log.chunks())),
        math.fsum(math.sqrt(each.energy) for each in shaped.values()) ** 2,
        least_possible(grid, log.chunks()),
    )


def table(found: Sequence[ShapedNoise]) -> ResultTable:
    """A line for each kind of question and number of blocks."""
    return ResultTable("Ranges over many blocks", HEADER, tuple(map(_row, found)), NOTE)


def all_measured(blocks: Sequence[int] = BLOCKS) -> Iterator[ShapedNoise]:
    """Every kind, over each number of blocks."""
    for kind in KINDS:
        for each in blocks:
            yield measured(kind, each)


def _row(found: ShapedNoise) -> TableRow:
    derived = DERIVED.get((found.kind, found.blocks))
    said, missed = "", ""
    if derived is not None:
        said = f"{derived[0]:g} → {derived[1]:g}"
        within = WITHIN if found.kind == "ranges" else 1.5 * WITHIN
        pairs = zip((found.isotropic, found.shaped), derived, strict=True)
        far = any(abs(ours / known - 1) > within for ours, known in pairs)
        missed = f"not within {within:.0%} of what was derived" if far else ""
    cells = (
        f"{found.kind}, {found.blocks} blocks",
        f"{found.isotropic:.2f}",
        f"{found.shaped:.2f}",
        said,
        f"{found.bound:.2f}",
        f"{found.shaped / found.bound:.2f}",
    )
    return TableRow(cells, missed)
