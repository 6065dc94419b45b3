"""Words of amounts, probabilities and promises, the same for every reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

SCALES = {"epsilon": (-6, "ε"), "rho": (-12, "ρ")}


def in_epsilon(micro_epsilon: int) -> str:
    """A budget for people: ``0.25 ε``."""
    return amount("epsilon", micro_epsilon)


def amount(measure: str, units: int) -> str:
    """What was or would be spent, in its measure: ``0.25 ε``."""
    scale, sign = SCALES[measure]
    exact = Decimal(units).scaleb(scale)
    return f"{exact:,.{-scale}f}".rstrip("0").rstrip(".") + f" {sign}"


def percent(share: float | None) -> str:
    """0.95 as ``95 %``."""
    return "" if share is None else f"{100 * share:g} %"


def covering(confidence: float | None) -> str:
    """What joint intervals cover: ``all rows together, 95 %``."""
    return ", ".join(filter(None, ("all rows together", percent(confidence))))


def promises(guarantee: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is promised to the people counted, whatever rule is followed."""
    rule = guarantee.get("rule", "unnamed")
    over = guarantee.get("micro_epsilon_over_epochs", guarantee.get("micro_epsilon"))
    price = f", {in_epsilon(over)}" if isinstance(over, int) else ""
    epochs = guarantee.get("epochs")
    span = f" over {epochs:,} epochs" if isinstance(epochs, int) and epochs > 1 else ""
    yield "guarantee", f"{rule}{price}{span}, {guarantee.get('adjacency', '')}"
    if "rho" in guarantee:
        chance = guarantee["rho"]
        yield "assuming", f"a row changes or leaves with probability {chance:g}"
    if protects := guarantee.get("protects"):
        yield "protects", str(protects)
    if guarantee.get("changes_are_exact"):
        yield "beware", "two epochs differ by the exact change: see docs/limits.md"
