"""Edges of bins as a declaration writes them: a list, or a start, a stop and a step."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final, Literal

from sigmacount.domain import MOST_LEVELS
from sigmacount.errors import InvalidSchema

_STEPS: Final[dict[str, timedelta]] = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_MONTHS: Final[dict[str, int]] = {"month": 1, "quarter": 3, "year": 12}
Every = Literal["hour", "day", "week", "month", "quarter", "year"]


def edges(kind: str, declared: object) -> list[object]:
    """The edges that ``[0, 10, 20]`` or ``{start, stop, step or every}`` means.

    The stop is an edge too, when a whole number of steps leads to it. In a list of
    numbers ``{ after = 0 }`` is the edge just after 0: it cuts 0 from what is positive.

    Raises:
        InvalidSchema: neither form, or more steps than levels are allowed; the
            text shows how to write it.
    """
    if isinstance(declared, list):
        return [_after(kind, each) for each in declared]
    step = "every" if kind in {"date", "datetime"} else "step"
    if not isinstance(declared, Mapping) or set(declared) != {"start", "stop", step}:
        shown = "'month'" if step == "every" else "10"
        msg = (
            f"edges are a list such as [0, 10, 20], or a table"
            f" {{ start = …, stop = …, {step} = {shown} }}"
        )
        raise InvalidSchema(msg)
    start, stop, by = declared["start"], declared["stop"], declared[step]
    try:
        found = _counted(_next(by), start, stop)
    except (AttributeError, TypeError, ValueError, OverflowError):
        msg = f"edges: start, stop and {step} do not fit each other or the kind {kind}"
        raise InvalidSchema(msg) from None
    if found[-1] != stop:
        msg = f"edges: no whole number of steps leads from {start} to {stop}"
        raise InvalidSchema(msg)
    return found


def _after(kind: str, edge: object) -> object:
    """An edge of a list; just after a number where it says so."""
    if not isinstance(edge, Mapping):
        return edge
    match edge:
        case {"after": bool()}:
            pass
        case {"after": int() | float() as number, **others} if kind == "number":
            if not others and abs(number) <= sys.float_info.max:
                return math.nextafter(number, math.inf)
    msg = (
        "an edge is a value, or { after = 0 } for the edge just after a number;"
        " whole numbers, dates and times take the next one instead"
    )
    raise InvalidSchema(msg)


def _counted(
    after: Callable[[Any, int], Any], start: object, stop: object
) -> list[object]:
    """All steps from ``start`` up to ``stop``."""
    found = list(_walk(after, start, stop))
    if not 1 < len(found) <= MOST_LEVELS:
        raise ValueError
    return found


def _walk(
    after: Callable[[Any, int], Any], start: object, stop: object
) -> Iterator[object]:
    before = None
    for count in range(MOST_LEVELS + 1):
        place = after(start, count)
        if place > stop:
            return
        if place == before:  # an hour later is the same day
            raise ValueError
        yield place
        before = place


def _next(by: object) -> Callable[[Any, int], Any]:
    """What is ``count`` steps after a start; never by adding up rounded steps."""
    if isinstance(by, str) and by in _MONTHS:
        return lambda start, count: _months_later(start, count * _MONTHS[by])
    if isinstance(by, str) and by in _STEPS:
        return lambda start, count: start + count * _STEPS[by]
    if isinstance(by, bool) or not isinstance(by, int | float) or by <= 0:
        raise ValueError
    # Rounded to 12 digits, so that 3 · 0.1 is the 0.3 that a query will write.
    return lambda start, count: (
        start + count * by if isinstance(by, int) else round(start + count * by, 12)
    )


def _months_later(start: date, months: int) -> date:
    """The same day so many months later; ValueError where a month has no such day."""
    years, month = divmod(start.month - 1 + months, 12)
    return start.replace(year=start.year + years, month=month + 1)
