"""Predicates: conditions on attributes under SQL's three truth values.

A comparison becomes the set of levels that make it true; conditions join to a logic;
a logic is tabulated into the one canonical set of cells that it means.
"""

from sigmacount.predicates.comparisons import comparison, is_missing, membership
from sigmacount.predicates.cuts import Constant
from sigmacount.predicates.logic import (
    FALSE,
    TRUE,
    UNKNOWN,
    Logic,
    certain,
    joined,
    negated,
)
from sigmacount.predicates.tabulate import query_of

__all__ = [
    "FALSE",
    "TRUE",
    "UNKNOWN",
    "Constant",
    "Logic",
    "certain",
    "comparison",
    "is_missing",
    "joined",
    "membership",
    "negated",
    "query_of",
]
