"""What a draft has to ask: questions in the place of keys, with a way to answer."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from cli.drafting import toml_text
from cli.drafting.columns import Column
from config.declarations.questions import MARK

FEW: Final = 20  # whole numbers that may have a bin each, unasked
BINS: Final = 10  # that a proposal has, or about so many
KIND: Final = "categorical, boolean, integer, number, date or datetime"
NULLABLE: Final = "true where a row may lack the value, else false"
LEVELS: Final = 'all values it may have, from a list and not from rows: ["a", "b"]'
EDGES: Final = {
    "integer": "{ start = 0, stop = 100, step = 10 }",
    "number": "{ start = 0.0, stop = 1.0, step = 0.1 }",
    "date": '{ start = 2024-01-01, stop = 2027-01-01, every = "month" }',
    "datetime": "{ start = 2024-01-01T00:00:00Z, stop = 2027-01-01T00:00:00Z,"
    ' every = "day" }',
}


def question(key: str, words: str) -> str:
    """A line of a declaration that the loader refuses until it is answered."""
    return f"{key} = {toml_text.literal(f'{MARK} {words}')}"


def of_edges(column: Column) -> str:
    """Where bins begin and end, with a proposal that fits the bounds."""
    kind = str(column.kind)
    if kind == "integer" and (held := column.whole_bounds):
        low, stop = held
        return f"cut {low} to {stop - 1} into bins, such as {steps(low, stop)}"
    cuts = _tenths(column) if kind == "number" else None
    words = f"where bins begin and end, such as {cuts or EDGES[kind]}"
    if column.low is not None:
        words += f"; no value is below {column.low}"
    if column.high is not None:
        words += f"; no value is above {column.high}"
    return words


def steps(low: int, stop: int) -> str:
    """Edges from ``low`` to ``stop``: about ten bins, alike where that is possible.

    Tens and fives are what people ask for.
    """
    wide = stop - low
    fitting = [wide // n for n in range(BINS // 2, 2 * BINS + 1) if wide % n == 0]
    if fitting:
        far = {step: abs(wide // step - BINS) for step in fitting}
        step = min(fitting, key=lambda s: (s % 10 != 0, s % 5 != 0, far[s]))
        return f"{{ start = {low}, stop = {stop}, step = {step} }}"
    step = math.ceil(wide / BINS)
    return str([*range(low, stop, step), stop])


def _tenths(column: Column) -> str | None:
    """Ten bins from the least number to the greatest, that one included."""
    if column.low is None or column.high is None:
        return None
    low, high = (Decimal(str(each)) for each in (column.low, column.high))
    edges = [_number(low + (high - low) * n / BINS) for n in range(BINS)]
    if not low < high or len(set(edges)) < BINS:
        return None
    return f"[{', '.join(edges)}, {{ after = {_number(high)} }}]"


def _number(value: Decimal) -> str:
    real = float(value)
    return str(int(real)) if real == int(real) and abs(real) < 2**53 else repr(real)


def each_whole(numbers: list[int]) -> str:
    """Edges that give each of these ascending whole numbers a bin of its own."""
    low, stop = numbers[0], numbers[-1] + 1
    if len(numbers) == stop - low:
        return f"{{ start = {low}, stop = {stop}, step = 1 }}"
    return str(sorted({edge for n in numbers for edge in (n, n + 1)}))
