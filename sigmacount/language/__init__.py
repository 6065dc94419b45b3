"""Language: query text and JSON to queries, and queries back to text.

``parse`` reads a SQL condition or a JSON object against a schema and refuses, with a
hint, what it cannot mean exactly; ``parse_question`` also reads a whole SELECT, and
what is grouped by; ``describe`` writes SQL that means a query.
"""

from sigmacount.language.description import describe
from sigmacount.language.parsing import parse
from sigmacount.language.question import CountQuestion, parse_question

__all__ = [
    "CountQuestion",
    "describe",
    "parse",
    "parse_question",
]
