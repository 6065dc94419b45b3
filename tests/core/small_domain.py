"""A small domain with every kind of attribute, and an oracle that knows only rows.

The oracle evaluates a condition on the values of one row, under SQL's three truth
values (True, False, None); it knows nothing of levels, bins, blocks or tables.
"""

from __future__ import annotations

import itertools
import operator
from functools import cache

import numpy as np
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema

SCHEMA = Schema(
    "small",
    (
        Attribute.binned("age", "integer", [0, 2, 3, 6], nullable=True),
        Attribute.binned("size", "integer", [1, 3], outside="bins"),
        Attribute.binned("weight", "number", [0.0, 0.5, 2.0]),
        Attribute.categorical("sex", ["F", "M"], nullable=True, other="X"),
        Attribute.boolean("ok", nullable=True),
        Attribute.binned("day", "date", ["2020-01-01", "2020-02-01", "2020-02-02"]),
    ),
)
# At least one value of each level; bins have one near each end.
VALUES = {
    "age": [0, 1, 2, 3, 5, None],
    "size": [0, 1, 2, 3],
    "weight": [0.0, 0.49, 0.5, 1.99],
    "sex": ["F", "M", "Q", None],
    "ok": [False, True, None],
    "day": ["2020-01-01", "2020-01-31", "2020-02-01"],
}
OPERATORS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@cache
def cells():
    """A row for each combination of values, and the cell code of each."""
    rows = [dict(zip(VALUES, each, strict=True)) for each in product()]
    return rows, np.array([SCHEMA.cell_code(row) for row in rows])


def product():
    """All combinations of values."""
    return itertools.product(*VALUES.values())


# A condition is a tuple whose first element says what it is; ``text`` writes it as
# SQL, ``truth`` evaluates it on a row.


def text(condition) -> str:
    """SQL of a condition, with parentheses everywhere."""
    word, *rest = condition
    return WRITTEN[word](*rest)


def truth(condition, row):
    """True, False or None (unknown) of a condition on one row."""
    word, *rest = condition
    return EVALUATED[word](row, *rest)


def literal(value) -> str:
    """A constant as SQL writes it."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else str(value).upper()


def listed(constants):
    """Several constants as SQL writes them."""
    return ", ".join(map(literal, constants))


MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
WRITTEN = {
    "compare": lambda name, op, to: f"{name} {op} {literal(to)}",
    "reversed": lambda name, op, to: f"{literal(to)} {MIRRORED[op]} {name}",
    "in": lambda name, constants: f"{name} IN ({listed(constants)})",
    "not in": lambda name, constants: f"{name} NOT IN ({listed(constants)})",
    "between": lambda name, low, high: (
        f"{name} BETWEEN {literal(low)} AND {literal(high)}"
    ),
    "null": lambda name: f"{name} IS NULL",
    "bare": lambda name: name,
    "constant": literal,
    "not": lambda inner: f"NOT ({text(inner)})",
    "is": lambda inner, value: f"({text(inner)}) IS {literal(value)}",
    "and": lambda *parts: " AND ".join(f"({text(part)})" for part in parts),
    "or": lambda *parts: " OR ".join(f"({text(part)})" for part in parts),
}
EVALUATED = {
    "compare": lambda row, name, op, to: compared(row[name], op, to),
    "reversed": lambda row, name, op, to: compared(row[name], op, to),
    "in": lambda row, name, constants: any_of(
        compared(row[name], "=", each) for each in constants
    ),
    "not in": lambda row, name, constants: all_of(
        compared(row[name], "<>", each) for each in constants
    ),
    "between": lambda row, name, low, high: all_of(
        [compared(row[name], ">=", low), compared(row[name], "<=", high)]
    ),
    "null": lambda row, name: row[name] is None,
    "bare": lambda row, name: row[name],
    "constant": lambda _, value: value,
    "not": lambda row, inner: negated(truth(inner, row)),
    "is": lambda row, inner, value: truth(inner, row) is value,
    "and": lambda row, *parts: all_of(truth(part, row) for part in parts),
    "or": lambda row, *parts: any_of(truth(part, row) for part in parts),
}


GROWN = {"not", "is", "and", "or"}  # conditions made of conditions


def compared(value, op, constant):
    """A comparison of a value of a row; unknown when either side is NULL."""
    if value is None or constant is None:
        return None
    return OPERATORS[op](value, constant)


def negated(value):
    """NOT of a truth value."""
    return None if value is None else not value


def all_of(values):
    """AND of truth values."""
    seen = set(values)
    return False if False in seen else None if None in seen else True


def any_of(values):
    """OR of truth values."""
    seen = set(values)
    return True if True in seen else None if None in seen else False


# Constants that cut no bin, by attribute and operator.
CUTS = {
    "age": {"<": [-3, 0, 2, 3, 6, 9, 1.5], "<=": [-1, 1, 2, 5, 8, 2.5], "=": [2, 7]},
    "size": {"<": [1, 3], "<=": [0, 2, 0.5]},
    "weight": {"<": [-1, 0, 0.5, 2, 7], "<=": [-0.5, 2, 3.5], "=": [-1, 2, 9]},
    "day": {
        "<": ["2019-05-05", "2020-01-01", "2020-02-01", "2020-02-02", "2021-01-01"],
        "<=": ["2019-12-31", "2020-01-31", "2020-02-01", "2020-03-01"],
        "=": ["2020-02-01", "2022-02-22"],
    },
    "sex": {"=": ["F", "M"]},
    "ok": {"=": [True, False]},
}
SAME = {"<": "<", ">=": "<", "<=": "<=", ">": "<=", "=": "=", "<>": "="}


@st.composite
def comparisons(draw):
    """A comparison that is allowed, either way round."""
    name = draw(st.sampled_from(sorted(CUTS)))
    op = draw(st.sampled_from([op for op in SAME if SAME[op] in CUTS[name]]))
    constant = draw(st.sampled_from([*CUTS[name][SAME[op]], None]))
    return draw(st.sampled_from(["compare", "reversed"])), name, op, constant


@st.composite
def memberships(draw):
    """IN or NOT IN, NULL possibly in the list."""
    name = draw(st.sampled_from(sorted(n for n in CUTS if "=" in CUTS[n])))
    some = st.sampled_from([*CUTS[name]["="], None])
    constants = draw(st.lists(some, min_size=1, max_size=4))
    return draw(st.sampled_from(["in", "not in"])), name, tuple(constants)


@st.composite
def ranges(draw):
    """BETWEEN, its ends in any order."""
    name = draw(st.sampled_from(sorted(n for n in CUTS if "<" in CUTS[n])))
    low = draw(st.sampled_from([*CUTS[name]["<"], None]))
    return "between", name, low, draw(st.sampled_from([*CUTS[name]["<="], None]))


leaves = st.one_of(
    comparisons(),
    memberships(),
    ranges(),
    st.tuples(st.just("null"), st.sampled_from(sorted(CUTS))),
    st.just(("bare", "ok")),
    st.tuples(st.just("constant"), st.sampled_from([True, False, None])),
)


def grown(inner):
    """Conditions made of conditions."""
    several = st.lists(inner, min_size=2, max_size=4)
    return st.one_of(
        several.map(lambda parts: ("and", *parts)),
        several.map(lambda parts: ("or", *parts)),
        inner.map(lambda part: ("not", part)),
        st.tuples(st.just("is"), inner, st.booleans()),
    )


conditions = st.recursive(leaves, grown, max_leaves=12)


def rows_of(condition):
    """Bool (n,): for which rows of ``cells`` the oracle finds a condition true.

    It looks once at rows that are alike in all that the condition names.
    """
    names = named(condition)
    apart = [each if name in names else each[:1] for name, each in VALUES.items()]
    rows = [dict(zip(VALUES, each, strict=True)) for each in itertools.product(*apart)]
    found = np.array([truth(condition, row) is True for row in rows])
    whole = [len(each) for each in VALUES.values()]
    return np.broadcast_to(found.reshape([*map(len, apart)]), whole).ravel()


def named(condition):
    """The attributes that a condition looks at."""
    word, *rest = condition
    if word == "constant":
        return set()
    if word not in GROWN:
        return {rest[0]}
    return set().union(*(named(part) for part in rest if isinstance(part, tuple)))
