"""CHECK constraints: which values, or which bounds, they leave a column."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

Real = int | float
_FLIPPED: Final = {exp.GTE: exp.LTE, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.LT: exp.GT}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a column is held to; None where a CHECK says nothing of it."""

    values: tuple[str, ...] | None = None
    low: Real | None = None
    high: Real | None = None
    over: bool = False  # low itself is not allowed
    under: bool = False  # nor is high
    not_null: bool = False

    def bounds(self, *, whole: bool) -> tuple[Real | None, Real | None]:
        """The least and the greatest value; of what is not whole, as near as it goes.

        Below 500 the greatest whole number is 499; the greatest decimal has no end.
        """
        low, high = self.low, self.high
        if whole and self.over and isinstance(low, int):
            low += 1
        if whole and self.under and isinstance(high, int):
            high -= 1
        return low, high


def limits(checks: list[exp.Expr]) -> dict[str, Limits]:
    """Column → what all of these conditions together leave it.

    A condition of another form than those people and dumps write is passed over: what
    it forbids is then a question for a person.
    """
    found: dict[str, Limits] = defaultdict(Limits)
    for check in checks:
        for part in _conjuncts(check):
            for name, change in _limit(part):
                found[name] = replace(found[name], **change)
    return found


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    bare = _bare(condition)
    if isinstance(bare, exp.And):
        yield from _conjuncts(bare.left)
        yield from _conjuncts(bare.right)
    else:
        yield bare


def _limit(part: exp.Expr) -> Iterator[tuple[str, dict[str, Any]]]:
    """What one condition says: at most one column and a change of its limits."""
    match part:
        case exp.Or():
            yield from _one_of(part)
        case exp.In() | exp.EQ():
            yield from _listed(part)
        case exp.Between():
            name, low, high = map(
                _read, (part.this, part.args["low"], part.args["high"])
            )
            if isinstance(name, str) and _numeric(low) and _numeric(high):
                yield name, {"low": low, "high": high, "over": False, "under": False}
        case exp.GTE() | exp.GT() | exp.LTE() | exp.LT():
            yield from _bound(part)
        case exp.Not(this=exp.Is() as negated) if isinstance(negated.right, exp.Null):
            if isinstance(name := _read(negated.left), str):
                yield name, {"not_null": True}


def _one_of(part: exp.Or) -> Iterator[tuple[str, dict[str, Any]]]:
    """``x = 'a' OR x = 'b' OR x IS NULL``, in any order."""
    found: dict[str, tuple[str, ...]] = {}
    for each in map(_bare, part.flatten()):
        if isinstance(each, exp.Is) and isinstance(each.right, exp.Null):
            continue
        listed = list(_listed(each)) if isinstance(each, exp.In | exp.EQ) else []
        if not listed:
            return
        [(name, change)] = listed
        found[name] = (*found.get(name, ()), *change["values"])
    if len(found) == 1:
        [(name, values)] = found.items()
        yield name, {"values": tuple(dict.fromkeys(values))}


def _listed(part: exp.In | exp.EQ) -> Iterator[tuple[str, dict[str, Any]]]:
    """``x IN ('a', 'b')``, ``x = 'a'``, or a dump's ``x = ANY (ARRAY['a', 'b'])``."""
    if isinstance(part, exp.In):
        name, held = _read(part.this), part.expressions
    else:
        name, right = _read(part.left), _bare(part.right)
        array = _bare(right.this) if isinstance(right, exp.Any) else None
        held = array.expressions if isinstance(array, exp.Array) else [right]
    values = [_literal(_bare(each)) for each in held]
    if isinstance(name, str) and values and None not in values:
        yield name, {"values": tuple(dict.fromkeys(map(str, values)))}


def _bound(part: exp.Binary) -> Iterator[tuple[str, dict[str, Any]]]:
    kind, name, number = type(part), _read(part.left), _read(part.right)
    if not isinstance(name, str):
        kind, name, number = _FLIPPED[kind], number, name
    if not isinstance(name, str) or not isinstance(number, int | float):
        return
    if kind in {exp.GTE, exp.GT}:
        yield name, {"low": number, "over": kind is exp.GT}
    else:
        yield name, {"high": number, "under": kind is exp.LT}


def _bare(part: exp.Expr) -> exp.Expr:
    """Without brackets and casts, which a dump puts around everything."""
    while isinstance(part, exp.Paren | exp.Cast):
        part = part.this
    return part


def _read(part: exp.Expr) -> str | Real | None:
    """The name of a column, or a number; None for anything else."""
    bare = _bare(part)
    if isinstance(bare, exp.Column):
        return bare.name
    value = _literal(bare)
    return value if _numeric(value) else None


def _literal(part: exp.Expr) -> str | Real | None:
    if isinstance(part, exp.Neg):
        value = _literal(_bare(part.this))
        return -value if isinstance(value, int | float) else None
    if not isinstance(part, exp.Literal):
        return None
    if part.is_string:
        return str(part.this)
    text = str(part.this)
    try:
        value = int(text) if text.isdigit() else float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _numeric(value: object) -> bool:
    return isinstance(value, int | float)
