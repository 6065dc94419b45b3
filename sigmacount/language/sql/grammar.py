"""Grammar: query text → sqlglot tree, after its size and depth were checked.

Only words that a predicate needs are keywords here, so that attributes may be named
``date``, ``order`` or ``show``; the rest of SQL is refused.
"""

from __future__ import annotations

from typing import ClassVar, Final

from sqlglot import Token, Tokenizer, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.parser import Parser

from sigmacount.errors import InvalidPredicate, QueryTooComplex
from sigmacount.language.sql.screen import KEYWORDS, STATEMENT, USE, screened

MOST_BYTES: Final = 16 * 1024
_FOREIGN: Final = {
    "ALL", "ANY", "CASE", "CAST", "DISTINCT", "ESCAPE", "EXISTS", "GLOB", "ILIKE",
    "INTERVAL", "LIKE", "REGEXP", "RLIKE", "SELECT", "SIMILAR", "SYMMETRIC", "WHERE",
    "XOR",
}  # fmt: skip


class _Tokens(Tokenizer):
    """sqlglot's tokenizer with the words of predicates and no commands."""

    KEYWORDS = KEYWORDS
    COMMANDS: ClassVar[set[TokenType]] = set()


class _StatementTokens(Tokenizer):
    """The same with the words of a whole SELECT."""

    KEYWORDS: ClassVar[dict[str, TokenType]] = {**KEYWORDS, **STATEMENT}
    COMMANDS: ClassVar[set[TokenType]] = set()


_OPERATORS: Final = {
    TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT,
    TokenType.GTE, TokenType.IN, TokenType.IS, TokenType.BETWEEN, TokenType.AND,
    TokenType.OR,
}  # fmt: skip


def is_select(text: str) -> bool:
    """Whether a text is a whole SELECT, not a condition on an attribute of that name.

    Raises:
        InvalidPredicate: it has that word, and cannot be read at all or is too long.
    """
    if "SELECT" not in text.upper():
        return False  # for most: a condition is not read twice
    match _tokenized(text, _Tokens)[:2]:
        case [first, after] if first.token_type is TokenType.VAR:
            operated = after.token_type in _OPERATORS
            return first.text.upper() == "SELECT" and not operated
        case _:
            return False


def read_select(text: str) -> exp.Expr:
    """The syntax tree of one SELECT; a semicolon may end it.

    Raises:
        InvalidPredicate, QueryTooComplex: as ``read``.
    """
    tokens = _tokenized(text, _StatementTokens)
    while tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    for token in tokens[1:]:
        if token.token_type is TokenType.SELECT:
            msg = "one SELECT at a time: a condition holds no other"
            raise InvalidPredicate(msg, token.start)
    return _parsed(text, screened(tokens, statement=True), exp.Select)


def read(text: str) -> exp.Expr | None:
    """The syntax tree of a predicate; None for a blank text, which is every row.

    Raises:
        InvalidPredicate: no predicate of this grammar; the caller mends the text.
        QueryTooComplex: more bytes, constants or nesting than one query may have;
            the caller splits it.
    """
    tokens = screened(_tokenized(text, _Tokens))
    return _parsed(text, tokens, exp.Condition) if tokens else None


def _parsed(text: str, tokens: list[Token], kind: type[exp.Expr]) -> exp.Expr:
    """What sqlglot makes of screened tokens."""
    try:
        parser = Parser(error_level=ErrorLevel.IMMEDIATE)
        found = parser.parse_into(kind, tokens, text)[0]
    except ParseError as wrong:
        raise _explained(wrong, tokens) from None
    except RecursionError:
        msg = "the query is nested too deeply for the stack that is left"
        raise QueryTooComplex(msg) from None
    except Exception:  # noqa: BLE001  (sqlglot trips over texts no SQL has: NULL("")
        found = None
    if found is None:
        msg = f"this is no condition. {USE}"
        raise InvalidPredicate(msg)
    return found


def _tokenized(text: str, tokenizer: type[Tokenizer]) -> list[Token]:
    """Tokens of a text of bounded length."""
    try:
        size = len(text) if len(text) > MOST_BYTES else len(text.encode())
    except UnicodeEncodeError as wrong:
        msg = "the query holds half a character (a lone surrogate)"
        raise InvalidPredicate(msg, wrong.start) from None
    if size > MOST_BYTES:
        msg = f"the query is longer than {MOST_BYTES:,} bytes; split it"
        raise QueryTooComplex(msg)
    try:
        return tokenizer().tokenize(text)
    except TokenError:
        msg = "a quotation mark or comment is not closed"
        raise InvalidPredicate(msg) from None


def _explained(wrong: ParseError, tokens: list[Token]) -> InvalidPredicate:
    """What sqlglot could not read, in words of this grammar, with the place."""
    found = wrong.errors[0]
    line_and_column = found["line"], found["col"]
    at = next(
        (i for i, t in enumerate(tokens) if (t.line, t.col) == line_and_column), -1
    )
    token, told = tokens[at], str(found["description"])
    if told.startswith("Required keyword"):
        msg = f"something is missing after {token.text!r}"
        return InvalidPredicate(msg, token.start)
    unclosed = told.startswith("Expecting")
    for word in tokens[max(at - 1, 0) : at if unclosed else at + 1]:
        if word.text.upper() in _FOREIGN:
            msg = f"{word.text!r} is not part of the query language. {USE}"
            return InvalidPredicate(msg, word.start)
    if unclosed:
        msg = f"a closing parenthesis is missing after {token.text!r}"
    else:
        msg = f"{token.text!r} is not expected here. {USE}"
    return InvalidPredicate(msg, token.start)
