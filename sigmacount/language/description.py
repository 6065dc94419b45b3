"""Describe: a canonical set of cells → SQL text that means it.

``parse`` reads the text back as the same set, unless it had to be cut short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from sigmacount.domain import Schema
from sigmacount.language.phrase import condition
from sigmacount.sets import Blocks, Query, TruthTable, coarsest

MOST: Final = 2_000  # characters for a person to read; more would not be read


def describe(query: Query) -> str:
    """SQL text that means ``query``, for people; cut short when very long."""
    schema, active = query.schema, query.active
    blocks, table = query.blocks, query.table
    if not active:
        return "TRUE" if table else "FALSE"
    if 2 * int(table.sum()) > table.size:  # shorter to say what is left out
        inside = _text(schema, active, blocks, ~table)
        return _all_but(inside, [schema.attributes[i].nullable for i in active])
    return _text(schema, active, blocks, table)


def _all_but(inside: str, nullable: Sequence[bool]) -> str:
    """The complement of a set, missing values included as a set demands."""
    return f"({inside}) IS NOT TRUE" if any(nullable) else f"NOT ({inside})"


def _text(
    schema: Schema, active: Sequence[int], blocks: Sequence[Blocks], table: TruthTable
) -> str:
    """The alternatives that make up a set, as many as a person would read."""
    said: list[str] = []
    for one in _alternatives(schema, active, blocks, table):
        said.append(one)
        if sum(map(len, said)) > MOST:
            said.append("…")
            break
    return " OR ".join(said)


def _alternatives(
    schema: Schema, active: Sequence[int], blocks: Sequence[Blocks], table: TruthTable
) -> Iterator[str]:
    """One conjunction for each way through the blocks; together they are the set."""
    if not active:
        if table:
            yield ""
        return
    attribute, block = schema.attributes[active[0]], blocks[0]
    for slot, slice_ in enumerate(table):
        here = condition(attribute, np.flatnonzero(block == slot).tolist())
        rest = coarsest(active[1:], blocks[1:], slice_)
        for below in _alternatives(schema, *rest):
            yield f"{here} AND {below}" if below else here
