"""One line: a figure with the bar it must reach, or why there is none."""

from __future__ import annotations

import os
import platform
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value; ratios are of two measurements in the same run.

    Attributes:
        bar: what the value must reach, or None where it is only told.
        at: whether the bar is the least or the most that passes.
    """

    name: str
    value: float
    unit: str
    bar: float | None = None
    at: Literal["least", "most"] = "least"

    @property
    def passed(self) -> bool:
        """Whether the value reaches its bar."""
        if self.bar is None:
            return True
        return self.value >= self.bar if self.at == "least" else self.value <= self.bar

    def __str__(self) -> str:
        bar = "-" if self.bar is None else f"{self.bar:g}"
        verdict = "pass" if self.passed else "short"
        return f"{self.name} {self.value:.6g} {self.unit} {bar} {verdict}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A figure that cannot be measured here, and the reason; it is not short."""

    name: str
    reason: str

    @property
    def passed(self) -> bool:
        """Nothing was measured, so nothing fell short of a bar."""
        return True

    def __str__(self) -> str:
        return f"{self.name} - - - skipped: {' '.join(self.reason.split())}"


Line = Figure | Skipped


def machine() -> str:
    """What the figures were measured on."""
    return (
        f"# {platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
        f" {platform.release()}, Python {platform.python_version()}"
    )


def resident() -> int:
    """Memory that this process has in use, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
