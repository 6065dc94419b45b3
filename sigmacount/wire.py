"""Wire: the blocks of an algebra as they arrive, read with suspicion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sigmacount import induced
from sigmacount.canonical import Blocks, frozen
from sigmacount.errors import InvalidPlan
from sigmacount.schema import Schema

Form = tuple[tuple[int, ...], tuple[Blocks, ...], NDArray[np.intp] | None]


def blocks(schema: Schema, form: Mapping[str, object]) -> Form:
    """Attributes, blocks and merged cells of an algebra from its JSON form.

    Raises:
        InvalidPlan: malformed, of another schema, or not canonical; the message
            becomes a dead letter and the old plan stays.
    """
    try:
        names: list[str] = list(form["attributes"])  # type: ignore[call-overload]
        rows: list[list[int]] = list(form["blocks"])  # type: ignore[call-overload]
        attributes = tuple(schema.names.index(name) for name in names)
        parts = tuple(frozen(np.array(row, np.intp)) for row in rows)
        cells = form["merged"]
        merged = None if cells is None else frozen(np.array(cells, np.intp))
    except (KeyError, TypeError, ValueError, OverflowError):
        msg = "the algebra on the wire is malformed or of another schema"
        raise InvalidPlan(msg) from None
    sizes = [schema.sizes[i] for i in attributes]
    ascending = attributes == tuple(sorted(set(attributes)))
    if not (ascending and induced.fits(sizes, parts, merged)):
        msg = "the blocks on the wire are no partition of the schema's levels"
        raise InvalidPlan(msg)
    return attributes, parts, merged
