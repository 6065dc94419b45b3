"""Derived: figures that were worked out beforehand, and what came out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from experiments.report.tables import TableRow


@dataclass(frozen=True, slots=True)
class DerivedNumber:
    """A figure, and between what it must come out; ``off``: its standard error."""

    name: str
    wanted: str
    measured: float
    low: float = -math.inf
    high: float = math.inf
    off: float = 0.0

    def row(self) -> TableRow:
        """As a line of the table."""
        missed = "" if self.low <= self.measured <= self.high else "out of bounds"
        off = f"{self.off:.2g}" if self.off else ""
        cells = self.name, self.wanted, f"{self.measured:,.6g}", off
        return TableRow(cells, missed)


def about(
    name: str, wanted: float, within: float, measured: float, off: float = 0.0
) -> DerivedNumber:
    """A figure that is to be near another."""
    said = f"{wanted:g} ± {within * 100:g} %"
    return DerivedNumber(
        name, said, measured, wanted * (1 - within), wanted * (1 + within), off
    )


def at_most(name: str, most: float, measured: float, off: float = 0.0) -> DerivedNumber:
    """A figure that may be less."""
    return DerivedNumber(name, f"≤ {most:,g}", measured, high=most, off=off)
