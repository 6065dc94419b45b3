"""What answers promise, one fact after the other, and what its ε does to odds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sigmaclient import words
from sigmaclient.schema import DatasetSchema
from views import formats

UNSAID: Final = 20.0  # odds of half a milliard to one are no protection to speak of


def facts(schema: DatasetSchema) -> Iterator[tuple[str, str]]:
    """Name and fact, in the order that people read them; none of a declaration alone.

    The names are ``rule``, ``protects``, ``in all``, ``fresh``, ``intervals``,
    ``tables``, those of ``sigmaclient.words.over_time``, and ``beware``.
    """
    said = schema.promise
    if said is None:
        return
    told = {
        "rule": f"{said['rule']}, {said['adjacency']}",
        "protects": said["protects"],
        "in all": in_all(said),
        "fresh": f"{_fresh(said)} for what no algebra holds",
        "intervals": f"hold with {formats.percent(schema.confidence)} confidence",
        "tables": f"of {schema.most_rows:,} rows at most",
    }
    over_time = said.get("over_time")
    if over_time is not None:
        told |= dict(words.over_time(over_time | {"delta": said.get("delta")}))
    if said["changes_are_exact"]:
        told["beware"] = "two epochs differ by the exact change: see docs/limits.md"
    for name, fact in told.items():
        if fact:  # an older version did not say it
            yield name, fact


def in_all(said: Mapping[str, Any]) -> str:
    """What everything together may cost, and promises."""
    if said.get("total") is None:
        return ""
    total = formats.amount(said["measure"], said["total"])
    if said.get("delta") is None:
        return total
    noise = f"{said['epsilon']:g} ε at δ = {said['delta']:g}; {total} for noise"
    again = ", the rest for showing it again"
    return noise + again * str(said.get("rule", "")).startswith("fixed-noise")


def odds(epsilon: float, delta: float | None) -> str:
    """What an ε means for whoever suspects that a row is there (docs/guarantee.md)."""
    if epsilon > UNSAID:
        return f"odds of 1 : 1 become at most e^{epsilon:g} : 1, which bounds nothing"
    most = math.ceil(math.exp(epsilon) * 100) / 100
    moved = f"odds of 1 : 1 become at most {most:,.2f} : 1"
    if delta is None:
        return moved
    return f"set aside outcomes of a probability of at most {delta:g}, and {moved}"


def _fresh(said: Mapping[str, Any]) -> str:
    return formats.amount(said["measure"], said["fresh"])
