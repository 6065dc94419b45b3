"""Guarantee: the promise that travels with every answer, in the wire's words.

One type for each rule and measure, told apart by ``rule``, which names ρ as well;
``messages.privacy`` says what the fields mean to a reader.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from sigmacount.accounting.guarantees.in_epsilon import (
    FixedNoiseGuarantee,
    FixedNoiseOfNothing,
    RenewGuarantee,
    nothing_in_epsilon,
)
from sigmacount.accounting.guarantees.in_rho import (
    FixedNoiseZcdpGuarantee,
    FixedNoiseZcdpOfNothing,
    RenewZcdpGuarantee,
    nothing_in_rho,
)
from sigmacount.accounting.guarantees.of_changes import (
    ContinualGuarantee,
    ContinualOfNothing,
    ContinualZcdpGuarantee,
    ContinualZcdpOfNothing,
    no_change,
    no_change_in_rho,
)

Guarantee: TypeAlias = (
    FixedNoiseGuarantee
    | FixedNoiseOfNothing
    | RenewGuarantee
    | ContinualGuarantee
    | ContinualOfNothing
    | FixedNoiseZcdpGuarantee
    | FixedNoiseZcdpOfNothing
    | RenewZcdpGuarantee
    | ContinualZcdpGuarantee
    | ContinualZcdpOfNothing
)

CONTINUAL: Final = "continual"
RULES: Final = ("fixed-noise", "renew", CONTINUAL)


def guarantee_of_nothing(rule: str, delta: float | None = None) -> Guarantee:
    """The promise of the count of no row: it was known before anybody counted.

    In ρ where the dataset has a ``delta``, else in pure ε.

    Raises:
        ValueError: no rule has this name; a newer version named it.
    """
    if rule not in RULES:
        msg = f"no rule is called {rule!r}"
        raise ValueError(msg)
    if rule == CONTINUAL:
        return no_change() if delta is None else no_change_in_rho(delta)
    return nothing_in_epsilon(rule) if delta is None else nothing_in_rho(rule, delta)
