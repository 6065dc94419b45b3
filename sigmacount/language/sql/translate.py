"""Translate: sqlglot tree → conditions on the attributes of a schema.

What has no handler here has no meaning here: the list of node types is the grammar.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from sigmacount.domain import Schema, find_name
from sigmacount.errors import InvalidPredicate
from sigmacount.language.sql.literals import bare_node, constant, position_of
from sigmacount.language.sql.screen import USE
from sigmacount.predicates import (
    FALSE,
    TRUE,
    UNKNOWN,
    Constant,
    Logic,
    certain,
    comparison,
    is_missing,
    joined,
    membership,
    negated,
)

_OPERATORS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED: Final = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PLAIN: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: Final = (exp.Sub, exp.Add, exp.Mul, exp.Div, exp.Mod)


def logic_of(schema: Schema, node: exp.Expr) -> Logic:
    """The condition that a tree means.

    Raises:
        InvalidPredicate, UnknownName, EdgeInsideBin: no meaning in this schema;
            the text says what to write instead and where.
    """
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise _refusal(node, "a condition")
    return handler(schema, node)


def _paren(schema: Schema, node: exp.Expr) -> Logic:
    return logic_of(schema, node.this)


def _not(schema: Schema, node: exp.Expr) -> Logic:
    return negated(logic_of(schema, node.this))


def _connected(schema: Schema, node: exp.Expr) -> Logic:
    """AND or OR of a whole chain, without recursion along it."""
    kind, parts, waiting = type(node), [], [node]
    while waiting:
        part = waiting.pop()
        if type(part) is kind:
            waiting += part.expression, part.this
        else:
            parts.append(logic_of(schema, part))
    return joined(parts, every=kind is exp.And)


def _compared(schema: Schema, node: exp.Expr) -> Logic:
    """``attribute op constant``, either way round."""
    op = _OPERATORS[type(node)]
    left, right = bare_node(node.this), bare_node(node.expression)
    if not isinstance(left, exp.Column):
        left, right, op = right, left, _MIRRORED[op]
    if not isinstance(left, exp.Column):
        return _folded(op, _constant(left), _constant(right))
    if isinstance(right, exp.Column):
        raise _two_columns(schema, left, right)
    return comparison(schema, _attribute(schema, left), op, _constant(right))


def _between(schema: Schema, node: exp.Expr) -> Logic:
    index = _attribute(schema, node.this)
    bounds = zip((">=", "<="), (node.args["low"], node.args["high"]), strict=True)
    return joined(
        [comparison(schema, index, op, _constant(at)) for op, at in bounds],
        every=True,
    )


def _in(schema: Schema, node: exp.Expr) -> Logic:
    index = _attribute(schema, node.this)
    listed = node.expressions
    if not listed:
        msg = "IN takes a list of constants in parentheses, at least one"
        raise InvalidPredicate(msg, position_of(node.this))
    return membership(schema, index, [_constant(each) for each in listed])


def _is(schema: Schema, node: exp.Expr) -> Logic:
    """IS NULL of an attribute; IS TRUE or IS FALSE of a condition."""
    subject, what = bare_node(node.this), node.expression
    if isinstance(what, exp.Null):
        return is_missing(schema, _attribute(schema, subject))
    if not isinstance(what, exp.Boolean) or isinstance(node.this, exp.Is):
        msg = "IS takes NULL, TRUE or FALSE; a condition before it needs parentheses"
        raise InvalidPredicate(msg, position_of(node))
    logic = logic_of(schema, subject)
    full = [(1 << size) - 1 for size in schema.sizes]
    return certain(logic if what.this else negated(logic), full)


def _column(schema: Schema, node: exp.Expr) -> Logic:
    """A truth value that stands alone: ``married`` is ``married = TRUE``."""
    index = _attribute(schema, node)
    attribute = schema.attributes[index]
    if attribute.kind != "boolean":
        msg = f"{attribute.name} stands alone, but only a boolean is a condition"
        raise InvalidPredicate(msg, position_of(node))
    return comparison(schema, index, "=", Constant(value=True))


def _truth(_: Schema, node: exp.Expr) -> Logic:
    return TRUE if node.this else FALSE


def _null(_: Schema, __: exp.Expr) -> Logic:
    return UNKNOWN


def _folded(op: str, left: Constant, right: Constant) -> Logic:
    """A comparison of two constants, such as the ``1 = 1`` that programs write."""
    if left.value is None or right.value is None:
        return UNKNOWN
    if _family(left.value) is not _family(right.value):
        msg = "these two constants cannot be compared"
        raise InvalidPredicate(msg, left.position)
    return TRUE if _PLAIN[op](left.value, right.value) else FALSE


def _family(value: object) -> type:
    """Text, truth values and numbers are not compared with one another."""
    return type(value) if isinstance(value, str | bool) else float


def _attribute(schema: Schema, node: exp.Expr) -> int:
    """Which attribute a name means."""
    column = bare_node(node)
    if not isinstance(column, exp.Column):
        raise _refusal(column, "the name of an attribute")
    return find_name(column.name, schema.names, "attribute", position_of(column))


def _constant(node: exp.Expr) -> Constant:
    """The constant that stands here; anything else is refused."""
    found = constant(node)
    if found is None:
        wanted = "a number, TRUE, FALSE, NULL or text in single quotes"
        raise _refusal(bare_node(node), wanted)
    return found


def _two_columns(
    schema: Schema, left: exp.Column, right: exp.Column
) -> InvalidPredicate:
    """The refusal of ``a = b``, which is often a text in the wrong quotes."""
    if left.name not in schema.names and right.name in schema.names:
        left, right = right, left
    _attribute(schema, left)
    msg = (
        f"{left.name} is compared with {right.name}: an attribute is compared with"
        f" constants only, and text stands in single quotes: '{right.name}'"
    )
    return InvalidPredicate(msg, position_of(right))


def _refusal(node: exp.Expr, expected: str) -> InvalidPredicate:
    """What to say about a part of SQL that has no meaning where it stands."""
    if isinstance(node, _ARITHMETIC):
        msg = (
            "arithmetic has no place in a query: write the result; a name with a"
            ' hyphen stands in double quotes: "native-country"'
        )
    else:
        msg = f"{expected} is expected here. {USE}"
    return InvalidPredicate(msg, position_of(node))


_HANDLERS: Final[dict[type[exp.Expr], Callable[[Schema, exp.Expr], Logic]]] = {
    exp.And: _connected,
    exp.Or: _connected,
    exp.Not: _not,
    exp.Paren: _paren,
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Column: _column,
    exp.Boolean: _truth,
    exp.Null: _null,
    **dict.fromkeys(_OPERATORS, _compared),
}
