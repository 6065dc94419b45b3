"""Literals: the constants that a sqlglot tree writes, and where they stand."""

from __future__ import annotations

import math

from sqlglot import exp

from sigmacount.domain import shortened
from sigmacount.errors import InvalidPredicate
from sigmacount.predicates import Constant


def constant(node: exp.Expr) -> Constant | None:
    """The value that a literal writes; None where no literal stands."""
    bare, sign = bare_node(node), 1
    while isinstance(bare, exp.Neg):
        bare, sign = bare_node(bare.this), -sign
    if isinstance(bare, exp.Literal) and not bare.is_string:
        return Constant(sign * _number(bare), position_of(bare))
    if isinstance(bare, exp.Literal) and bare is bare_node(node):
        return Constant(bare.this, position_of(bare))
    if isinstance(bare, exp.Boolean | exp.Null) and bare is bare_node(node):
        return Constant(bare.this if isinstance(bare, exp.Boolean) else None)
    return None


def _number(literal: exp.Literal) -> float:
    """The value of digits; whole numbers stay exact."""
    value: float
    for read in (int, float):  # a fraction, an exponent, too many digits for an int
        try:
            value = read(literal.this)
        except ValueError:
            continue
        if read is int or math.isfinite(value):
            return value
        msg = "the number is too large"
        raise InvalidPredicate(msg, position_of(literal))
    msg = f"{shortened(literal.this)} is no number"
    raise InvalidPredicate(msg, position_of(literal))


def bare_node(node: exp.Expr) -> exp.Expr:
    """What stands inside parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def position_of(node: exp.Expr) -> int | None:
    """Offset of the first name or literal of a node in the text."""
    found = node.this.meta if isinstance(node, exp.Column) else node.meta
    if "start" in found:
        return int(found["start"])
    starts = [n.meta["start"] for n in node.walk() if "start" in n.meta]
    return min(starts, default=None)
