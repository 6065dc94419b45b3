"""Select habits: hints for what SQL has and a count of rows does not.

As ``habits`` does for conditions, a SELECT that was refused is looked at once more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sigmacount.errors import InvalidPredicate, UnknownName
from sigmacount.language.sql.habits import plain

_ROWS: Final = "COUNT(*) counts rows; of those that have a value: WHERE … IS NOT NULL"
_HABITS: Final[Mapping[str, str]] = MappingProxyType({
    r"(?<=\()\s*SELECT\b|\b(UNION|INTERSECT|EXCEPT)\b": (
        "one SELECT at a time, and none inside it: write its condition out"
    ),
    r"\bJOIN\b|\bFROM\s+\w+(\s+\w+)?\s*,": (
        "the rows of one dataset are counted, and none are joined: FROM {dataset} alone"
    ),
    r"\bCOUNT\s*\(\s*DISTINCT\b|\bDISTINCT\b": (
        "there is no DISTINCT: each combination of levels is one row of a GROUP BY, and"
        " COUNT(*) counts rows of the dataset"
    ),
    r"\bOFFSET\b|\bLIMIT\s+\d+\s*,": (
        "there is no OFFSET: take LIMIT alone, and pass over the first rows yourself"
    ),
    r"\b(FETCH|TOP)\b(?!\s*[=<>])": "write LIMIT and a number at the end",
    r"\b(OVER|PARTITION\s+BY|WINDOW|QUALIFY)\b(?!\s*[=<>])": (
        "there are no window functions: shares and ranks follow from the counts, at no"
        " cost"
    ),
    r"\b(SUM|AVG|MEAN|MIN|MAX|MEDIAN|STDDEV\w*|VARIANCE|VAR_\w+|PERCENTILE\w*)\s*\(": (
        "COUNT(*) is the only function: GROUP BY the attribute, and take sums, means"
        " and quantiles of its levels from the counts"
    ),
    r"\bCOUNT\s*\(\s*[^*\s\d]": _ROWS,
    r"\b(ROLLUP|CUBE|GROUPING\s+SETS)\b": (
        "there are no subtotals: the answer has the total of its rows; ask for other"
        " groups by themselves"
    ),
    r"\bCASE\b": "GROUP BY takes attributes as declared: add up the levels you want",
    r"\A\s*SELECT\s+(\w+\s*,\s*)*\*|,\s*\*": (
        "rows are never shown, only counted: SELECT COUNT(*) FROM {dataset}"
    ),
    r"\b[^\W\d]\w*\.\w+": (
        "names stand alone, without dataset or schema: there is one dataset"
    ),
    r"\bNULLS\s+(FIRST|LAST)\b": (
        "NULL is the last level, as declared; leave out NULLS FIRST or LAST"
    ),
    r";\s*\S": "one SELECT at a time: nothing follows the semicolon",
})  # fmt: skip


def helped(text: str, dataset: str, refused: InvalidPredicate) -> InvalidPredicate:
    """The refusal of a SELECT with the sentence that helps, or as it was."""
    if type(refused) not in {InvalidPredicate, UnknownName}:
        return refused
    unquoted = plain(text)
    for pattern, said in _HABITS.items():
        found = re.search(pattern, unquoted, re.IGNORECASE)
        if found:
            return InvalidPredicate(said.format(dataset=dataset), found.start())
    return refused
