"""A small table with its queries, for the algorithms."""

import numpy as np

from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse

SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.binned("age", "integer", [0, 20, 40, 60, 80]),
        Attribute.categorical("town", ["A", "B", "C"]),
    ),
)
CODES = np.arange(SCHEMA.cells)
COUNTS = (7 * CODES**2 + 3) % 31  # rows in each cell, some of them none


def queries(*texts):
    """The queries with these conditions."""
    return [parse(SCHEMA, text) for text in texts]


def true_counts(asked):
    """N(A) of each query, one cell after the other."""
    return [int(COUNTS[query.contains(CODES)].sum()) for query in asked]
