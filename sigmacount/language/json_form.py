"""JSON form: ``{"age": {"ge": 30, "lt": 40}, "sex": ["F"]}`` → conditions.

All attributes must hold. A value means equality, a list means any of them, and an
object combines comparisons. ``null`` is the missing value, as it is in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sigmacount.domain import Schema, find_name, shortened
from sigmacount.errors import InvalidPredicate
from sigmacount.language.sql.screen import bounded_literals
from sigmacount.predicates import (
    TRUE,
    Constant,
    Logic,
    comparison,
    is_missing,
    joined,
    membership,
    negated,
)

LONGEST_INT: Final = 1_024  # bits; beyond it Python may refuse to print a number
_ORDERED: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_WORDS: Final = (
    "Use eq, ne, lt, le, gt, ge, in, not_in, between, is_null: true or false"
)


def logic_of(schema: Schema, where: Mapping[str, object]) -> Logic:
    """The condition that a JSON object means; an empty one is every row.

    Raises:
        InvalidPredicate, UnknownName, EdgeInsideBin: no meaning in this schema.
        QueryTooComplex: more constants than one query may have.
    """
    bounded_literals(sum(map(_weight, where.values())))
    parts: list[Logic] = [TRUE]
    for name, wanted in where.items():
        index = find_name(str(name), schema.names, "attribute")
        parts += _conditions(schema, index, wanted)
    return joined(parts, every=True)


def _weight(wanted: object) -> int:
    """How many constants an attribute's part may hold, at least one."""
    if isinstance(wanted, Mapping):
        return sum(map(_listed, wanted.values()))
    return _listed(wanted)


def _listed(wanted: object) -> int:
    return max(1, len(wanted)) if isinstance(wanted, list | tuple) else 1


def _conditions(schema: Schema, index: int, wanted: object) -> Iterator[Logic]:
    """The conditions of one attribute."""
    if not isinstance(wanted, Mapping):
        word = "in" if isinstance(wanted, list | tuple) else "eq"
        yield _condition(schema, index, word, wanted)
        return
    if not wanted:
        msg = f"{schema.names[index]}: an empty object says nothing. {_WORDS}"
        raise InvalidPredicate(msg)
    for word, value in wanted.items():
        yield _condition(schema, index, str(word), value)


def _condition(schema: Schema, index: int, word: str, value: object) -> Logic:
    """One comparison by name."""
    if word in _ORDERED:
        return comparison(schema, index, _ORDERED[word], _scalar(value))
    if word in {"eq", "in"}:
        return _member(schema, index, _items(word, [value] if word == "eq" else value))
    if word in {"ne", "not_in"}:
        return negated(_condition(schema, index, "eq" if word == "ne" else "in", value))
    if word == "between":
        low, high = _items(word, value, 2)
        above = comparison(schema, index, ">=", low)
        return joined([above, comparison(schema, index, "<=", high)], every=True)
    if word == "is_null" and isinstance(value, bool):
        absent = is_missing(schema, index)
        return absent if value else negated(absent)
    msg = f"{schema.names[index]}: {shortened(word)} is no comparison. {_WORDS}"
    raise InvalidPredicate(msg)


def _member(schema: Schema, index: int, constants: list[Constant]) -> Logic:
    """Any of the constants, the missing value among them if it is listed."""
    present = [each for each in constants if each.value is not None]
    found: Logic = membership(schema, index, present)
    if len(present) < len(constants):
        found = joined([found, is_missing(schema, index)], every=False)
    return found


def _items(word: str, value: object, count: int | None = None) -> list[Constant]:
    """The constants of a list of at least one, or of exactly ``count``."""
    listed = value if isinstance(value, list | tuple) else ()
    if not listed or (count is not None and len(listed) != count):
        msg = f"{word!r} takes a list of {count or 'one or more'} constants"
        raise InvalidPredicate(msg)
    return [_scalar(each) for each in listed]


def _scalar(value: object) -> Constant:
    """A JSON value that is a constant."""
    if value is not None and not isinstance(value, str | int | float):
        msg = f"a {type(value).__name__} is no constant; write text or a number"
        raise InvalidPredicate(msg)
    if isinstance(value, int) and value.bit_length() > LONGEST_INT:
        msg = "the number is too large"
        raise InvalidPredicate(msg)
    return Constant(value)
