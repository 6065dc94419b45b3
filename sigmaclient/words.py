"""Words of amounts, probabilities and promises, the same for every reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

ROUTES = {
    "algebra": "a table of the plan",
    "memo": "a question asked before",
    "fresh": "noise of its own, given to this question alone",
}
SCALES = {"epsilon": (-6, "ε"), "rho": (-12, "ρ")}


def amount(measure: str, units: int) -> str:
    """What was or would be spent, in its measure: ``0.25 ε``."""
    scale, sign = SCALES[measure]
    exact = Decimal(units).scaleb(scale)
    return f"{exact:,.{-scale}f}".rstrip("0").rstrip(".") + f" {sign}"


def percent(share: float | None) -> str:
    """0.95 as ``95 %``."""
    return "" if share is None else f"{100 * share:g} %"


def moment(ms: int | None) -> str:
    """Milliseconds since 1970 as ``2026-01-31 12:00:05 UTC``."""
    if ms is None:
        return "unknown"
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def covering(confidence: float | None) -> str:
    """What joint intervals cover: ``all rows together, 95 %``."""
    return ", ".join(filter(None, ("all rows together", percent(confidence))))


def _price(guarantee: Mapping[str, Any]) -> Iterator[str]:
    """All that was paid for the noise: ``0.25 ε``, or ``1 ε at δ = 1e-09, 0.015 ρ``."""
    rho = guarantee.get("pico_rho_over_epochs")
    if isinstance(rho, int):
        over, delta = guarantee["epsilon_over_epochs"], guarantee["delta_over_epochs"]
        yield f"{over:g} ε at δ = {delta:g}"
        yield amount("rho", rho)
        return
    over = guarantee.get("micro_epsilon_over_epochs", guarantee.get("micro_epsilon"))
    if isinstance(over, int):
        yield amount("epsilon", over)


def promises(guarantee: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is promised to the people counted, whatever rule is followed."""
    rule = str(guarantee.get("rule", "unnamed")).removesuffix("-zcdp")
    price = "".join(f", {each}" for each in _price(guarantee))
    epochs = guarantee.get("epochs")
    span = f" over {epochs:,} epochs" if isinstance(epochs, int) and epochs > 1 else ""
    if rule == "continual":
        span = " for all epochs"
    yield "guarantee", f"{rule}{price}{span}, {guarantee.get('adjacency', '')}"
    chance = guarantee.get("rho", guarantee.get("churn"))
    if chance is not None:
        yield "assuming", f"a row changes or leaves with probability {chance:g}"
    yield from over_time(guarantee)
    if protects := guarantee.get("protects"):
        yield "protects", str(protects)
    if guarantee.get("changes_are_exact"):
        yield "beware", "two epochs differ by the exact change: see docs/limits.md"


def over_time(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What rows that change are promised, and how they are counted.

    Nothing of a rule that does not count over time.
    """
    if by_changes := said.get("epsilon_by_changes"):
        each = [f"{most} × {epsilon:.4g} ε" for most, epsilon in by_changes.items()]
        at = "" if said.get("delta") is None else f" at δ = {said['delta']:g}"
        yield "a row's changes", f"at most {', '.join(each)}{at}"
    if said.get("horizon") is not None:
        rated = f"rated for {said['horizon']:,} epochs"
        every = f"one every {said['tick_seconds']:g} s"
        yield "counted by", f"{said['mechanism']}, {rated}, {every}"
    if limit := said.get("changes_limit"):
        yield "counted are", f"the first {limit:,} changes of a row"
    if owner := said.get("owner"):
        most = f"at most {owner['rows']:,} rows and {owner['changes']:,} changes"
        yield "of one owner", f"{most} in all: {owner['epsilon']:.4g} ε"
    if since := said.get("counted_from"):
        yield "lost", f"what was shown before epoch {since:,}, when changes were exact"
