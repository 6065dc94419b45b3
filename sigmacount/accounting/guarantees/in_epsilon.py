"""Guarantee in ε: the promise of an answer whose noise was paid for in pure ε."""

from __future__ import annotations

from typing import Literal

from sigmacount.accounting.composition import cost_of_replacing
from sigmacount.accounting.guarantees.noise_unit import (
    ADJACENCY,
    ANY_ROW,
    EVERY_ROW,
    UNCHANGED_ROW,
    NoiseUnit,
    PromiseOfAnyMeasure,
)
from sigmacount.mechanisms import Amount


class GuaranteeOfAnyRule(PromiseOfAnyMeasure):
    """What an answer promises about one row in pure ε, ready for JSON.

    Attributes:
        micro_epsilon: price of the noise in this answer, drawn once (µε).
        micro_epsilon_over_epochs: price of all T epochs (µε).
        replace_one_row_micro_epsilon: the same if a row may be *replaced* (µε).
    """

    micro_epsilon: int
    micro_epsilon_over_epochs: int
    replace_one_row_micro_epsilon: int


class FixedNoiseOfNothing(GuaranteeOfAnyRule):
    """Of the empty query under ``fixed-noise``: no noise is in its count."""

    rule: Literal["fixed-noise"]


class FixedNoiseGuarantee(FixedNoiseOfNothing):
    """Of an answer under ``fixed-noise``: noise stays, true changes are added.

    Attributes:
        rho: the operator's assumption (Theorem 5).
        epsilon_0: ε₀(T) for people, in ε.
    """

    rho: float
    epsilon_0: float


class RenewGuarantee(GuaranteeOfAnyRule):
    """Of an answer under ``renew``: every epoch has noise of its own."""

    rule: Literal["renew"]


def fixed_noise(
    unit: NoiseUnit, over_epochs: Amount, rho: float
) -> FixedNoiseGuarantee:
    """The promise of Algorithm 5, with what it does not promise said aloud."""
    promise = _promise(unit, over_epochs)
    promise["changes_are_exact"] = True
    promise["protects"] = UNCHANGED_ROW
    epsilon_0 = over_epochs.epsilon
    return {"rule": "fixed-noise", **promise, "rho": rho, "epsilon_0": epsilon_0}


def renew(unit: NoiseUnit, over_epochs: Amount) -> RenewGuarantee:
    """The promise of fresh noise at every epoch: plain sequential composition."""
    return RenewGuarantee(rule="renew", **_promise(unit, over_epochs))


def nothing_in_epsilon(rule: str) -> FixedNoiseOfNothing | RenewGuarantee:
    """The promise of the count of no row; see ``guarantee_of_nothing``."""
    promise = _promise(NoiseUnit(Amount.pure(0), epochs=0), Amount.pure(0))
    promise["protects"] = EVERY_ROW
    if rule == "fixed-noise":
        return FixedNoiseOfNothing(rule="fixed-noise", **promise)
    return RenewGuarantee(rule="renew", **promise)


def _promise(unit: NoiseUnit, over_epochs: Amount) -> GuaranteeOfAnyRule:
    return {
        "measure": unit.price.measure.value,
        "composition": unit.composition.value,
        "adjacency": ADJACENCY,
        "micro_epsilon": unit.price.micro_epsilon,
        "epochs": unit.epochs,
        "micro_epsilon_over_epochs": over_epochs.micro_epsilon,
        "replace_one_row_micro_epsilon": cost_of_replacing(over_epochs).micro_epsilon,
        "changes_are_exact": False,
        "protects": ANY_ROW,
    }
