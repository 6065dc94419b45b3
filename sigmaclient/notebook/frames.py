"""Rows as the columns of a frame, for pandas and Polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sigmaclient.notebook.extras import library
from sigmaclient.row import Row

FrameColumns = dict[str, list[Any]]


def columns(by: Sequence[str], rows: Sequence[Row]) -> FrameColumns:
    """A column for each attribute, then count, stderr, low, high and the joint ones.

    Where an attribute bears one of these names, the number's has an underscore after.
    """
    made: FrameColumns = {
        name: [row.levels[i] for row in rows] for i, name in enumerate(by)
    }
    numbers: FrameColumns = {
        "count": [row.count for row in rows],
        "stderr": [row.stderr for row in rows],
        "low": [row.interval[0] for row in rows],
        "high": [row.interval[1] for row in rows],
        "joint_low": [row.joint[0] for row in rows],
        "joint_high": [row.joint[1] for row in rows],
    }
    for name, values in numbers.items():
        while name in made:
            name += "_"  # noqa: PLW2901
        made[name] = values
    return made


def pandas(columns: FrameColumns, notes: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """A `pandas.DataFrame`; ``attrs`` holds the notes."""
    frame = library("pandas").DataFrame(columns)
    frame.attrs.update(notes)
    return frame


def polars(columns: FrameColumns) -> Any:  # noqa: ANN401
    """A `polars.DataFrame`."""
    return library("polars").DataFrame(columns)
