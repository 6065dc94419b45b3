"""Screen: a query's size, depth and words, checked on its tokens before parsing."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from sqlglot import Token, TokenType

from sigmacount.errors import InvalidPredicate, QueryTooComplex

MOST_LITERALS: Final = 1_000
DEEPEST: Final = 24  # parentheses and NOTs; sqlglot takes 20 stack frames for each
USE: Final = "Use = <> < <= > >= IN BETWEEN IS NULL AND OR NOT and parentheses"

KEYWORDS: Final = {
    "AND": TokenType.AND,
    "BETWEEN": TokenType.BETWEEN,
    "FALSE": TokenType.FALSE,
    "IN": TokenType.IN,
    "IS": TokenType.IS,
    "NOT": TokenType.NOT,
    "NULL": TokenType.NULL,
    "OR": TokenType.OR,
    "TRUE": TokenType.TRUE,
    "==": TokenType.EQ,
    "<>": TokenType.NEQ,
    "!=": TokenType.NEQ,
    "<=": TokenType.LTE,
    ">=": TokenType.GTE,
}
STATEMENT: Final = {  # of a whole SELECT, beside those of its conditions
    "SELECT": TokenType.SELECT,
    "FROM": TokenType.FROM,
    "WHERE": TokenType.WHERE,
    "GROUP BY": TokenType.GROUP_BY,
    "HAVING": TokenType.HAVING,
    "ORDER BY": TokenType.ORDER_BY,
    "LIMIT": TokenType.LIMIT,
    "AS": TokenType.ALIAS,
    "ASC": TokenType.ASC,
    "DESC": TokenType.DESC,
}
COUNT: Final = "COUNT"  # the only function that there is
_LITERALS: Final = {
    TokenType.STRING,
    TokenType.NUMBER,
    TokenType.NULL,
    TokenType.TRUE,
    TokenType.FALSE,
}
_NAMES: Final = {TokenType.VAR, TokenType.IDENTIFIER}
_PREFIXES: Final = {TokenType.NOT, TokenType.DASH, TokenType.PLUS}
_ALLOWED: Final = {
    *KEYWORDS.values(),
    *_LITERALS,
    *_NAMES,
    *_PREFIXES,
    TokenType.L_PAREN,
    TokenType.R_PAREN,
    TokenType.COMMA,
    TokenType.EQ,
    TokenType.LT,
    TokenType.GT,
}
_ALLOWED_IN_STATEMENT: Final = {*_ALLOWED, *STATEMENT.values(), TokenType.STAR}
_TYPES: Final = {"DATE", "TIMESTAMP", "DATETIME"}  # DATE '2020-01-31' is a constant


def screened(tokens: list[Token], *, statement: bool = False) -> list[Token]:
    """The tokens, when they are few, flat and of this grammar; names as names.

    Of a ``statement``, the words of a SELECT and COUNT are of it too.

    Raises:
        InvalidPredicate: a sign or call that predicates do not have; the caller
            mends the text.
        QueryTooComplex: too many constants or too deep; the caller splits it.
    """
    kept: list[Token] = []
    allowed = _ALLOWED_IN_STATEMENT if statement else _ALLOWED
    literals, depth = 0, Depth()
    for token, after in zip_longest(tokens, tokens[1:]):
        kind = token.token_type
        if kind not in allowed:
            raise _out_of_place(token)
        if kind in _LITERALS:
            literals += 1
            bounded_literals(literals, token.start)
        if kind not in _NAMES or (statement and _counts(token, after)):
            kept.append(token)
        elif not _is_type(token, after):
            kept.append(_as_name(token, after))
        depth.count(token)
    return kept


def bounded_literals(count: int, position: int | None = None) -> None:
    """Raise QueryTooComplex for more constants than one query may have."""
    if count > MOST_LITERALS:
        msg = f"the query has more than {MOST_LITERALS:,} constants; use ranges"
        raise QueryTooComplex(msg, position)


class Depth:
    """How many parentheses and prefix operators are open, token by token."""

    def __init__(self) -> None:
        self._depth = 0
        self._waiting = 0  # prefix operators whose operand comes next
        self._open: list[int] = []  # what each closing parenthesis gives back

    def count(self, token: Token) -> None:
        """Pass over one token; raises QueryTooComplex where it nests too deeply."""
        kind = token.token_type
        if kind in _PREFIXES:
            self._waiting += 1
            self._depth += 1
        elif kind is TokenType.L_PAREN:
            self._open.append(self._waiting + 1)
            self._waiting = 0
            self._depth += 1
        else:
            self._depth -= self._waiting
            self._waiting = 0
            if kind is TokenType.R_PAREN and self._open:
                self._depth -= self._open.pop()
        if self._depth > DEEPEST:
            msg = f"more than {DEEPEST} parentheses or NOTs are nested; flatten them"
            raise QueryTooComplex(msg, token.start)


def _out_of_place(token: Token) -> InvalidPredicate:
    """The refusal of a sign that no predicate has."""
    if token.token_type is TokenType.DOT:
        msg = "a number starts with a digit: 0.5; a name with a dot needs double quotes"
    else:
        msg = f"{token.text!r} has no place in a query. {USE}"
    return InvalidPredicate(msg, token.start)


def _is_type(token: Token, after: Token | None) -> bool:
    """Whether a word only says the type of the text that follows it."""
    if token.token_type is TokenType.IDENTIFIER or after is None:
        return False
    return after.token_type is TokenType.STRING and token.text.upper() in _TYPES


def _counts(token: Token, after: Token | None) -> bool:
    """Whether a word is the function COUNT."""
    if token.token_type is TokenType.IDENTIFIER or after is None:
        return False
    return after.token_type is TokenType.L_PAREN and token.text.upper() == COUNT


def _as_name(token: Token, after: Token | None) -> Token:
    """A word as a quoted name, so that none has a meaning of its own to sqlglot."""
    if after is not None and after.token_type is TokenType.L_PAREN:
        msg = (
            f"{token.text!r} looks like a function or subquery, which have no place in"
            f" a query. {USE}"
        )
        raise InvalidPredicate(msg, token.start)
    if token.token_type is TokenType.IDENTIFIER:
        return token
    return Token(
        TokenType.IDENTIFIER, token.text, token.line, token.col, token.start, token.end
    )
