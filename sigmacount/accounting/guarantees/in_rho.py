"""Guarantee in ρ: the promise of an answer whose noise was paid for in zCDP.

It names ρ, which adds up exactly, and the (ε, δ) that this ρ amounts to, ε rounded up
to µε. Several answers are added in ρ, and only their sum is read as (ε, δ).
"""

from __future__ import annotations

from typing import Literal

from sigmacount.accounting.composition import cost_of_replacing
from sigmacount.accounting.evolving.surcharge import surcharge_in_zcdp
from sigmacount.accounting.guarantees.noise_unit import (
    ADJACENCY,
    ANY_ROW,
    EVERY_ROW,
    UNCHANGED_ROW,
    NoiseUnit,
    PromiseOfAnyMeasure,
)
from sigmacount.mechanisms import Amount, Measure, as_epsilon, micro_epsilon_of


class ZcdpGuaranteeOfAnyRule(PromiseOfAnyMeasure):
    """What an answer promises about one row, in ρ and as (ε, δ), ready for JSON.

    Attributes:
        pico_rho: price of the noise in this answer, drawn once (pρ).
        delta: δ at which an ε is said.
        epsilon: what ``pico_rho`` promises at ``delta``.
        pico_rho_over_epochs: price of all noise that was drawn for them (pρ).
        epsilon_over_epochs: what all T epochs promise …
        delta_over_epochs: … at this δ.
        replace_one_row_pico_rho: ``pico_rho_over_epochs`` if a row may be *replaced*.
        replace_one_row_epsilon: ``epsilon_over_epochs`` in that case.
    """

    pico_rho: int
    delta: float
    epsilon: float
    pico_rho_over_epochs: int
    epsilon_over_epochs: float
    delta_over_epochs: float
    replace_one_row_pico_rho: int
    replace_one_row_epsilon: float


class FixedNoiseZcdpOfNothing(ZcdpGuaranteeOfAnyRule):
    """Of the empty query under ``fixed-noise``: no noise is in its count."""

    rule: Literal["fixed-noise-zcdp"]


class FixedNoiseZcdpGuarantee(FixedNoiseZcdpOfNothing):
    """Of an answer under ``fixed-noise``: noise stays, true changes are added.

    Attributes:
        churn: the operator's assumption (Theorem 5's ρ).
    """

    churn: float


class RenewZcdpGuarantee(ZcdpGuaranteeOfAnyRule):
    """Of an answer under ``renew``: every epoch has noise of its own."""

    rule: Literal["renew-zcdp"]


def fixed_noise_in_rho(
    unit: NoiseUnit, churn: float, delta: float
) -> FixedNoiseZcdpGuarantee:
    """The promise of Algorithm 5 for noise of zCDP: ε₀(T) of Theorem 5.

    δ is spent twice at most: for what was drawn, and for showing it again.
    """
    price = unit.price.charged_in(Measure.RHO)
    promise = _promise(unit, price, delta)

    def over_epochs(price: Amount) -> float:
        repeated = price.units * (unit.epochs - 1)
        again = surcharge_in_zcdp(price.units, repeated, churn, delta)
        return as_epsilon(micro_epsilon_of(price.units, delta) + again)

    promise["epsilon_over_epochs"] = over_epochs(price)
    promise["replace_one_row_epsilon"] = over_epochs(cost_of_replacing(price))
    promise["delta_over_epochs"] = 2 * delta
    promise["changes_are_exact"], promise["protects"] = True, UNCHANGED_ROW
    return {"rule": "fixed-noise-zcdp", **promise, "churn": churn}


def renew_in_rho(unit: NoiseUnit, delta: float) -> RenewZcdpGuarantee:
    """The promise of fresh noise at every epoch: T ρ, read as (ε, δ) once."""
    over_epochs = unit.price.charged_in(Measure.RHO) * unit.epochs
    return RenewZcdpGuarantee(rule="renew-zcdp", **_promise(unit, over_epochs, delta))


def nothing_in_rho(
    rule: str, delta: float
) -> FixedNoiseZcdpOfNothing | RenewZcdpGuarantee:
    """The promise of the count of no row; see ``guarantee_of_nothing``."""
    promise = _promise(NoiseUnit(Amount.zcdp(0), epochs=0), Amount.zcdp(0), delta)
    promise["protects"] = EVERY_ROW
    if rule == "fixed-noise":
        return FixedNoiseZcdpOfNothing(rule="fixed-noise-zcdp", **promise)
    return RenewZcdpGuarantee(rule="renew-zcdp", **promise)


def _promise(
    unit: NoiseUnit, over_epochs: Amount, delta: float
) -> ZcdpGuaranteeOfAnyRule:
    price = unit.price.charged_in(Measure.RHO)
    replaced = cost_of_replacing(over_epochs)

    def epsilon(amount: Amount) -> float:
        return as_epsilon(micro_epsilon_of(amount.units, delta))

    return {
        "measure": price.measure.value,
        "composition": unit.composition.value,
        "adjacency": ADJACENCY,
        "pico_rho": price.units,
        "delta": delta,
        "epsilon": epsilon(price),
        "epochs": unit.epochs,
        "pico_rho_over_epochs": over_epochs.units,
        "epsilon_over_epochs": epsilon(over_epochs),
        "delta_over_epochs": delta,
        "replace_one_row_pico_rho": replaced.units,
        "replace_one_row_epsilon": epsilon(replaced),
        "changes_are_exact": False,
        "protects": ANY_ROW,
    }
