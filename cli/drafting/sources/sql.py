"""SQL DDL → tables: CREATE TABLE, CREATE TYPE … AS ENUM, ALTER TABLE, as dumps do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from cli.drafting.columns import BLOB, UNIQUE, Column, Tables
from cli.drafting.sources.sql_checks import Limits, limits
from cli.exits import CommandRefused
from sigmacount.domain import Kind

_ROWS: Final = re.compile(r"^COPY .*?^\\\.$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_PSQL: Final = re.compile(r"^\\.*$", re.MULTILINE)
_MYSQL: Final = re.compile(
    r"`|\bENGINE\s*=|\bAUTO_INCREMENT\b|(?<!\bAS )\bENUM\s*\(", re.IGNORECASE
)
_LOOKED_AT: Final = 5  # tokens: CREATE GLOBAL TEMPORARY TABLE
_NUMBERED: Final = ("SERIAL", "SMALLSERIAL", "BIGSERIAL")
_WHOLE: Final = ("INT", "TINYINT", "SMALLINT", "MEDIUMINT", "BIGINT", "YEAR")
_UNSIGNED: Final = ("UINT", "UTINYINT", "USMALLINT", "UMEDIUMINT", "UBIGINT")
_NUMBERS: Final = ("FLOAT", "DOUBLE", "MONEY", "SMALLMONEY", "DECIMAL")
_MOMENTS: Final = ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "DATETIME")
_WORDS: Final = ("CHAR", "NCHAR", "VARCHAR", "NVARCHAR", "BPCHAR", "NAME")
_TEXTS: Final = ("TEXT", "TINYTEXT", "MEDIUMTEXT", "LONGTEXT")
_KINDS: Final[dict[str, Kind]] = {
    "BOOLEAN": "boolean",
    "DATE": "date",
    **dict.fromkeys((*_WHOLE, *_UNSIGNED), "integer"),
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys((*_MOMENTS, "TIMESTAMPNTZ"), "datetime"),
    **dict.fromkeys((*_WORDS, *_TEXTS), "categorical"),
}


@dataclass(slots=True)
class _Table:
    """One table while its statements are read.

    Attributes:
        keys: the columns of each PRIMARY KEY and UNIQUE.
        primary: those of the PRIMARY KEY.
    """

    columns: list[exp.ColumnDef] = field(default_factory=list)
    checks: list[exp.Expr] = field(default_factory=list)
    keys: list[tuple[str, ...]] = field(default_factory=list)
    primary: tuple[str, ...] = ()

    def constrain(self, rule: exp.Expr) -> None:
        """Take note of one constraint of the whole table."""
        if isinstance(rule, exp.Constraint):
            for each in rule.expressions:
                self.constrain(each)
        elif isinstance(rule, exp.CheckColumnConstraint):
            self.checks.append(rule.this)
        elif isinstance(rule, exp.PrimaryKey):
            self.primary = tuple(each.name for each in rule.expressions)
            self.keys.append(self.primary)
        elif isinstance(rule, exp.UniqueColumnConstraint):
            held = rule.this.expressions if isinstance(rule.this, exp.Schema) else ()
            self.keys.append(tuple(each.name for each in held))


def tables(text: str, dialect: str | None = None) -> Tables:
    """Every table that the text creates, by its name. INSERT and COPY are not read.

    Raises:
        CommandRefused: a statement cannot be read; its text says where.
    """
    chosen = dialect or ("mysql" if _MYSQL.search(text) else "postgres")
    enums: dict[str, tuple[str, ...]] = {}
    found: dict[str, _Table] = defaultdict(_Table)
    for statement in _statements(text, chosen):
        match statement:
            case exp.Create(kind="TYPE", expression=exp.DataType() as type_):
                enums[statement.this.name] = _texts(type_)
            case exp.Create(kind="TABLE", this=exp.Schema() as schema):
                _take(found[schema.this.name], schema.expressions)
            case exp.Alter(this=exp.Table() as altered):
                for action in statement.args.get("actions", ()):
                    parts = action.expressions if not _adds(action) else [action]
                    _take(found[altered.name], parts)
    return {name: _columns(table, enums) for name, table in found.items()}


def _adds(action: exp.Expr) -> bool:
    """Whether a part of ALTER TABLE is a new column."""
    return isinstance(action, exp.ColumnDef)


def _take(table: _Table, parts: list[exp.Expr]) -> None:
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            table.columns.append(part)
        else:
            table.constrain(part)


def _statements(text: str, dialect: str) -> Iterator[exp.Expr]:
    """Those that say what a table is like; all others are passed over unread."""
    plain = _PSQL.sub("", _ROWS.sub("", text))
    try:
        for tokens in _split(sqlglot.tokenize(plain, read=dialect)):
            head = [token.text.upper() for token in tokens[:_LOOKED_AT]]
            creates = head[0] == "CREATE" and {"TABLE", "TYPE"} & set(head)
            if creates or head[:2] == ["ALTER", "TABLE"]:
                cut = plain[tokens[0].start : tokens[-1].end + 1]
                parsed = sqlglot.parse_one(cut, read=dialect)
                yield normalize_identifiers(parsed, dialect)  # Age is age in Postgres
    except (SqlglotError, ValueError, RecursionError) as error:
        where = _place(error)
        msg = f"cannot be read as SQL ({dialect}){where}. Another --dialect may help"
        raise CommandRefused(msg) from None


def _place(error: Exception) -> str:
    """Where a statement is wrong; never its text, which may be a row of a dump."""
    if not isinstance(error, ParseError) or not error.errors:
        return ""
    first = error.errors[0]
    return f": line {first['line']} of a statement: {first['description']}"


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    held: list[Token] = []
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            held.append(token)
        elif held:
            yield held
            held = []
    if held:
        yield held


def _columns(table: _Table, enums: dict[str, tuple[str, ...]]) -> tuple[Column, ...]:
    for column in table.columns:
        for rule in _rules(column):
            if isinstance(rule, exp.CheckColumnConstraint):
                table.checks.append(rule.this)
            elif isinstance(rule, exp.PrimaryKeyColumnConstraint):
                table.primary = (column.name,)
                table.keys.append(table.primary)
            elif isinstance(rule, exp.UniqueColumnConstraint):
                table.keys.append((column.name,))
    held = limits(table.checks)
    return tuple(
        _column(column, table, enums, held.get(column.name, Limits()))
        for column in table.columns
    )


def _rules(column: exp.ColumnDef) -> list[exp.Expr]:
    return [each.args["kind"] for each in column.constraints]


def _column(
    column: exp.ColumnDef,
    table: _Table,
    enums: dict[str, tuple[str, ...]],
    held: Limits,
) -> Column:
    name, type_, rules = column.name, column.args.get("kind"), _rules(column)
    nulls = [r for r in rules if isinstance(r, exp.NotNullColumnConstraint)]
    not_null = any(not rule.args.get("allow_null") for rule in nulls)
    kind, listed = _kind(type_, enums)
    low, high = held.bounds(whole=kind == "integer")
    return Column(
        name,
        kind,
        listed or (held.values if kind in {"categorical", "integer"} else None),
        low,
        high,
        nullable=not (not_null or held.not_null or name in table.primary),
        left_out=_left_out(name, table, type_, rules) or (None if kind else BLOB),
        is_id=table.primary == (name,),
    )


def _kind(
    type_: exp.Expr | None, enums: dict[str, tuple[str, ...]]
) -> tuple[Kind | None, tuple[str, ...] | None]:
    """What a type is to us, and its values where it is an ENUM."""
    if not isinstance(type_, exp.DataType):
        return None, None
    named, sizes = type_.this.name, [each.name for each in type_.expressions]
    if named == "USERDEFINED":
        values = enums.get(type_.args["kind"].name) if type_.args.get("kind") else None
        return ("categorical" if values else None), values
    if named == "ENUM":
        return "categorical", _texts(type_)
    if (named, sizes) in [("TINYINT", ["1"]), ("BIT", ["1"])]:
        return "boolean", None
    if named == "DECIMAL" and sizes and sizes[1:] in ([], ["0"]):
        return "integer", None
    return _KINDS.get(named), None


def _texts(type_: exp.DataType) -> tuple[str, ...]:
    return tuple(str(each.this) for each in type_.expressions)


def _left_out(
    name: str,
    table: _Table,
    type_: exp.Expr | None,
    rules: list[exp.Expr],
) -> str | None:
    """Why a column is no attribute: it tells rows apart."""
    if name in table.primary:
        return f"the primary key; {UNIQUE}" if len(table.primary) == 1 else "of the key"
    if (name,) in table.keys:
        return f"UNIQUE; {UNIQUE}"
    numbered = (
        exp.AutoIncrementColumnConstraint,
        exp.GeneratedAsIdentityColumnConstraint,
    )
    if any(isinstance(rule, numbered) for rule in rules):
        return f"numbered by the database; {UNIQUE}"
    if isinstance(type_, exp.DataType) and type_.this.name in _NUMBERED:
        return f"numbered by the database; {UNIQUE}"
    return None
