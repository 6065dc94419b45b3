"""The budget of the demo: (ε, δ) as people say it, and its parts in pρ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sigmacount.mechanisms import most_rho

DELTA: Final = 1e-9  # far below 1 over the number of people
BUDGET: Final = 8_000_000  # µε at δ, for all that is drawn
SURCHARGES: Final = 1_000_000  # µε beside it, for showing it again while rows change
PLAN: Final = 1_000_000  # µε at δ, of the one plan
PLANS: Final[Mapping[str, int]] = {  # for ever, and so at once
    "fixed-noise": PLAN,
    "continual": 2 * PLAN,
}
BY_RULE: Final[Mapping[str, Mapping[str, str]]] = {
    "fixed-noise": {
        "SIGMA_PRIVACY_SURCHARGE_BUDGET": str(SURCHARGES),
        "SIGMA_PRIVACY_CHURN_PROBABILITY": "0.000000001",
    },
    "continual": {  # its year is minutes, and an epoch costs nothing
        "SIGMA_PRIVACY_HORIZON": "128",
        "SIGMA_CURATOR_EPOCH_SECONDS": "2.0",
    },
}
FRESH: Final = 8_000  # one fresh question costs one part of so many


def pure(environment: Mapping[str, str]) -> bool:
    """Whether somebody wants it in pure ε, in which it is not played."""
    return environment.get("SIGMA_PRIVACY_MEASURE") == "epsilon"


def spending(rule: str) -> Mapping[str, str]:
    """The settings of the service that say what may be spent, on what, by which rule.

    Raises:
        KeyError: the demo is not played by that rule.
    """
    total = most_rho(BUDGET, DELTA)
    return {
        **BY_RULE[rule],
        "SIGMA_PRIVACY_RULE": rule,
        "SIGMA_PRIVACY_MEASURE": "zcdp",
        "SIGMA_PRIVACY_BUDGET": str(BUDGET),
        "SIGMA_PRIVACY_DELTA": str(DELTA),
        "SIGMA_PRIVACY_PLAN_BUDGET": str(most_rho(PLANS[rule], DELTA)),
        "SIGMA_PRIVACY_PLAN_RATE": str(1_000 * total),  # its days are minutes
        "SIGMA_PRIVACY_FRESH": str(total // FRESH),
        "SIGMA_PRIVACY_FRESH_BUDGET": str(total // FRESH * 200),
        "SIGMA_PRIVACY_CLIENT_QUOTA": str(total // FRESH * 90),
    }
