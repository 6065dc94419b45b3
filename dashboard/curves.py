"""Curves: numbers over time as a picture draws them; `static/curves.js` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CurveValues = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class CurveLine:
    """One line; of an interval ``low`` and ``high`` are its bounds.

    Attributes:
        steps: it stays what it was until the next point, as a sum does.
    """

    label: str
    values: CurveValues
    low: CurveValues = ()
    high: CurveValues = ()
    steps: bool = False


@dataclass(frozen=True, slots=True)
class ShownCurve:
    """Lines over the same moments.

    Attributes:
        at_s: seconds since 1970, ascending.
        unit: of all values: ``rows``, ``ε``, ``ρ``.
    """

    title: str
    unit: str
    at_s: tuple[float, ...]
    lines: tuple[CurveLine, ...]

    @property
    def said(self) -> dict[str, Any]:
        """For the script, JSON-able."""
        lines = [
            {
                "label": each.label,
                "values": each.values,
                "low": each.low,
                "high": each.high,
                "steps": each.steps,
            }
            for each in self.lines
        ]
        return {
            "title": self.title,
            "unit": self.unit,
            "at": self.at_s,
            "lines": lines,
        }
