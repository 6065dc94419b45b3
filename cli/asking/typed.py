"""What was typed at `sigma ask`, as a question takes it; nothing is asked yet."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from cli.exits import CommandRefused
from sigmaclient.question import Options
from sigmacount.errors import InvalidMessage
from sigmacount.mechanisms import Amount
from streams.wire.unique_keys import checked_keys

COMPARISONS = {
    ">=": "ge", ">": "gt", "<=": "le", "<": "lt", "=": "eq", "<>": "ne", "!=": "ne",
}  # fmt: skip
_GROUPS = re.compile(r"\bgroup\s+by\b", re.IGNORECASE)
_BOUND = re.compile(r"\s*(>=|<=|<>|!=|>|<|=)\s*(\d{1,18})\s*")


def options(
    *,
    by: list[str] | None,
    having: list[str] | None,
    order_by: list[str] | None,
    limit: int | None,
    price: bool,
    max_cost: Amount | None,
    error: float | None,
    confidence: float | None,
    once: bool = False,
    since: str | None = None,
) -> Options:
    """What was typed, as a `Question` takes it.

    Raises:
        CommandRefused: a bound that cannot be read.
    """
    return Options(
        by=_names(by),
        having=bounds(having or []),
        order_by=_names(order_by),
        limit=limit,
        price=price,
        max_cost=None if max_cost is None else max_cost.units,
        max_cost_measure=None if max_cost is None else max_cost.measure.value,
        error=error,
        confidence=confidence,
        repeat=not once,
        since=since,
    )


def check_quantile(
    given: Options, where: Sequence[str], quantile: float | None
) -> None:
    """Raise what is known of a quantile before anything is asked.

    Raises:
        CommandRefused: it is not between 0 and 1, or of a table that lacks rows.
    """
    if quantile is None:
        return
    if not 0 < quantile < 1:
        msg = "--quantile lies between 0 and 1, neither of them included"
        raise CommandRefused(msg)
    if given["since"] is not None:
        msg = "--quantile is of counts, and --since asks for changes: leave one out"
        raise CommandRefused(msg)
    if given["having"] or given["order_by"] or given["limit"] is not None:
        msg = (
            "--quantile needs every row in its declared order: leave out --having,"
            " --order-by and --limit"
        )
        raise CommandRefused(msg)
    if not given["by"] and not any(_GROUPS.search(text) for text in where):
        msg = "--quantile is of a table's one attribute: name it by --by"
        raise CommandRefused(msg)
    if len(given["by"]) > 1:
        msg = "--quantile is of one attribute: --by names several"
        raise CommandRefused(msg)


def bounds(typed: Sequence[str]) -> dict[str, int]:
    """``>=100,<500`` as a question says it: ``{"ge": 100, "lt": 500}``.

    Raises:
        CommandRefused: it is no comparison with a whole number, or one stands twice.
    """
    found: dict[str, int] = {}
    for text in (part for each in typed for part in each.split(",")):
        read = _BOUND.fullmatch(text)
        if read is None or COMPARISONS[read[1]] in found:
            why = "is no comparison with a count" if read is None else "stands twice"
            msg = f"--having: {text.strip()!r} {why}; write '>=100' or '>=100,<500'"
            raise CommandRefused(msg)
        found[COMPARISONS[read[1]]] = int(read[2])
    return found


def _names(typed: list[str] | None) -> tuple[str, ...]:
    """Names, each option one or several with commas between."""
    return tuple(name.strip() for each in typed or () for name in each.split(","))


def condition(text: str) -> str | dict[str, Any]:
    """What was typed, as it is asked: JSON when it begins like an object.

    Raises:
        CommandRefused: it begins like an object and is none.
    """
    if not text.lstrip().startswith("{"):
        return text
    try:
        form: dict[str, Any] = json.loads(text)
        checked_keys(text)
    except json.JSONDecodeError as error:
        msg = f"the condition is no JSON object: {error.msg} at {error.colno}"
        raise CommandRefused(msg) from None
    except InvalidMessage as error:
        msg = f"the condition is no question: {error}"
        raise CommandRefused(msg) from None
    except (RecursionError, ValueError):
        msg = "the condition nests too deeply, or holds a number that is too long"
        raise CommandRefused(msg) from None
    return form
