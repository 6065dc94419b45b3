"""The last run beside the baseline: `make bench-compare`.

A line a figure: ``name baseline now ratio verdict``. What moved by less than
``NOISE`` is the ``same``: two runs of the same code differ by as much on a machine
that others use too. Only two things fail: a bar that is missed, and a ratio of two
measurements in one run (unit ``ratio``) that got worse by more than ``LOSS``, as such a
ratio forgives a slow machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.baseline import Figures
from benchmarks.figures import Figure

NOISE = 0.15
LOSS = 0.30
RATIO = "ratio"
MORE_IS_BETTER = ("/s", RATIO)  # how such units end; of others, less is


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of the last run, and what it was."""

    now: Figure
    then: Figure | None

    @property
    def ratio(self) -> float | None:
        """Now over then, or None where nothing can be said."""
        if self.then is None or not self.then.value:
            return None
        return self.now.value / self.then.value

    @property
    def better(self) -> float:
        """How many times better than then; 1 where there is nothing to compare."""
        ratio = 1.0 if self.ratio is None else self.ratio
        if _rises(self.now):
            return ratio
        return 1 / ratio if ratio else math.inf

    @property
    def verdict(self) -> str:
        """What became of the figure."""
        if not self.now.passed:
            return "short"
        if self.ratio is None:
            return "new"
        if self.now.unit == RATIO and self.better < 1 - LOSS:
            return "lost"
        if 1 - NOISE <= self.better <= 1 / (1 - NOISE):
            return "same"
        return "better" if self.better > 1 else "worse"

    @property
    def failed(self) -> bool:
        """Whether this must not pass unseen."""
        return self.verdict in {"short", "lost"}

    def __str__(self) -> str:
        then = "-" if self.then is None else f"{self.then.value:.6g}"
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        now = f"{self.now.value:.6g}"
        return f"{self.now.name} {then} {now} {self.now.unit} {ratio} {self.verdict}"


def compared(now: Figures, then: Figures) -> Iterator[Compared]:
    """Every figure of the last run beside the baseline's."""
    return (Compared(figure, then.get(name)) for name, figure in now.items())


def missing(now: Figures, then: Figures) -> list[str]:
    """Figures of the baseline that the last run has not."""
    return [name for name in then if name not in now]


def _rises(figure: Figure) -> bool:
    """Whether more is better."""
    if figure.bar is not None:
        return figure.at == "least"
    return figure.unit.endswith(MORE_IS_BETTER)
