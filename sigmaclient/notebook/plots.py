"""Counts as bars whose error bars are intervals, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sigmaclient.notebook.extras import library
from sigmaclient.row import Row

WIDE_LABELS = 30  # letters along the axis; beyond, labels stand at an angle


def bars(
    rows: Sequence[Row],
    by: Sequence[str],
    covers: str,
    ax: Any,  # noqa: ANN401  (matplotlib axes, or None for new ones)
    **options: Any,  # noqa: ANN401  (matplotlib's)
) -> Any:  # noqa: ANN401
    """Axes with one bar for each row; the title says what the error bars cover."""
    if ax is None:
        ax = library("matplotlib.pyplot").subplots()[1]
    labels = [row.label for row in rows]
    places = range(len(rows))
    below = [max(0, row.count - row.joint[0]) for row in rows]
    above = [max(0, row.joint[1] - row.count) for row in rows]
    ax.bar(
        places,
        [row.count for row in rows],
        **({"yerr": [below, above], "capsize": 3} | options),
    )
    angle = 45 if sum(map(len, labels)) > WIDE_LABELS else 0
    side = "right" if angle else "center"
    ax.set_xticks(places, labels, rotation=angle, ha=side)
    ax.set_xlabel(", ".join(by))
    ax.set_ylabel("rows")
    ax.set_title(f"error bars: {covers}", fontsize="medium")
    return ax
