"""Habits: hints for what people write who come from SQL, mathematics or code.

A text that has no meaning here is looked at once more for such a habit, and is refused
with the sentence that helps instead of the parser's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from sigmacount.errors import InvalidPredicate, UnknownName

_QUOTED: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_LONGEST: Final = 60  # characters of a mended text that are shown
_OPERATORS: Final = {
    "=>": ">=", "=<": "<=", "===": "=", "!==": "<>", "=!": "<>", "&&": "AND",
    "&": "AND", "||": "OR", "|": "OR", "!": "NOT", "≥": ">=", "≤": "<=", "≠": "<>",
    "−": "-", "–": "-", "∧": "AND", "∨": "OR", "¬": "NOT", "‘": "'", "’": "'",
    "“": '"', "”": '"', "[": "(", "]": ")", "{": "(", "}": ")",
}  # fmt: skip
_SIGNS: Final = "|".join(map(re.escape, sorted(_OPERATORS, key=len, reverse=True)))
_CHAIN: Final = (
    r"(?<![^\s()=<>])(?P<low>[^\s()=<>]++)\s*+(?P<first><=|>=|<|>)\s*"
    r"(?P<name>[^\W\d]\w*|\"[^\"]*\")\s*(?P<second><=|>=|<|>)\s*(?P<high>[^\s()=<>]+)"
)
_NO_NAME: Final = r"(?!\s*([=<>]|(IN|IS|BETWEEN|NOT)\b))"  # else an attribute's name
_ALONE: Final = "a condition is wanted here"


def _select(text: str, _: re.Match[str]) -> str:
    where = re.search(r"\bWHERE\b\s*(.*)", text, re.IGNORECASE | re.DOTALL)
    if where is None:
        return f"{_ALONE}: leave out SELECT … FROM; an empty text counts every row"
    return f"{_ALONE}: write what stands after WHERE: {_cut(where[1])}"


def _clause(_: str, found: re.Match[str]) -> str:
    word = " ".join(found[0].upper().split())
    return (
        f"{word} is no part of a condition: leave it out, or write the whole statement,"
        " from SELECT on"
    )


def _sign(_: str, found: re.Match[str]) -> str:
    return f"write {_OPERATORS[found[0]]} instead of {found[0]}"


def _chain(text: str, found: re.Match[str]) -> str:
    low, first, name, second, high = (
        text[slice(*found.span(part))]
        for part in ("low", "first", "name", "second", "high")
    )
    mended = f"{low} {first} {name} AND {name} {second} {high}"
    return f"one comparison at a time: write {_cut(mended)}"


def _pattern(_: str, found: re.Match[str]) -> str:
    return (
        f"{found[0].upper()} compares with a pattern, and levels are compared as a"
        " whole: list them: name IN ('…', '…')"
    )


def _always(sentence: str) -> Callable[[str, re.Match[str]], str]:
    return lambda _text, _found: sentence


_HABITS: Final = [
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), said)
    for pattern, said in [
        (r"\A\s*SELECT\b", _select),
        (rf"\b(GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|OFFSET)\b{_NO_NAME}", _clause),
        (r"\A\s*WHERE\b", _always(f"{_ALONE}: leave out WHERE")),
        (
            r"\A\s*COUNT\s*\(",
            _always(f"{_ALONE}: leave out COUNT; every answer is a count"),
        ),
        (_CHAIN, _chain),
        (r"(?<![<>!=])(=>|=<|===|=!)(?!=)|!==", _sign),
        (rf"\b(I?LIKE|R(EGEXP|LIKE)|GLOB|SIMILAR)\b{_NO_NAME}", _pattern),
        (r";", _always("a question is one condition: leave out ;")),
        (rf"(?!!=)({_SIGNS})(?<!=)", _sign),
    ]
]


def plain(text: str) -> str:
    """The text with what is quoted blanked out, every place kept."""
    return _QUOTED.sub(lambda quoted: '"' + "x" * (len(quoted[0]) - 2) + '"', text)


def helped(text: str, refused: InvalidPredicate) -> InvalidPredicate:
    """The refusal of ``text`` with the sentence that helps, or as it was.

    Edges, levels and limits have been named already and stay as they are.
    """
    if type(refused) not in {InvalidPredicate, UnknownName}:
        return refused
    unquoted = plain(text)
    for habit, said in _HABITS:
        if found := habit.search(unquoted):
            return InvalidPredicate(said(text, found), found.start())
    return refused


def _cut(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
