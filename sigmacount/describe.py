"""A canonical set of cells as SQL text."""

from __future__ import annotations

import numpy as np

from sigmacount.canonical import Blocks, Table
from sigmacount.schema import Schema


def text(
    schema: Schema, active: tuple[int, ...], blocks: tuple[Blocks, ...], table: Table
) -> str:
    """Text."""
    if not active:
        return "TRUE" if table else "FALSE"
    parts = []
    for axis, block in enumerate(np.moveaxis(table, 0, 0)):
        inside = text(schema, active[1:], blocks[1:], block)
        names = [
            schema.attributes[active[0]].levels[i]
            for i in np.flatnonzero(blocks[0] == axis)
        ]
        if inside != "FALSE":
            parts.append(f"{schema.names[active[0]]} IN {names} AND ({inside})")
    return " OR ".join(parts)
