"""Domain: the declared attributes, their levels or bins, and the cells they span.

A row becomes the code of a cell here, one at a time or a batch at once, or is refused
with a reason. Nothing in this room has seen a row that was kept: |Ω| is public.
"""

from sigmacount.domain.attribute import (
    MOST_LEVELS,
    NULL,
    Attribute,
    BinnedKind,
    Kind,
)
from sigmacount.domain.bins import (
    OFF_LINE,
    LinePosition,
    just_after,
    line_comparison,
    line_constant,
    line_position,
)
from sigmacount.domain.coder import (
    MISSING,
    NULL_NOT_ALLOWED,
    OUTSIDE_LEVELS,
    REFUSED,
    WRONG_TYPE,
)
from sigmacount.domain.schema import Schema
from sigmacount.domain.suggestions import find_name, shortened, suggestion

__all__ = [
    "MISSING",
    "MOST_LEVELS",
    "NULL",
    "NULL_NOT_ALLOWED",
    "OFF_LINE",
    "OUTSIDE_LEVELS",
    "REFUSED",
    "WRONG_TYPE",
    "Attribute",
    "BinnedKind",
    "Kind",
    "LinePosition",
    "Schema",
    "find_name",
    "just_after",
    "line_comparison",
    "line_constant",
    "line_position",
    "shortened",
    "suggestion",
]
