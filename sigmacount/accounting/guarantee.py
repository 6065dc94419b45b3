"""Guarantee: the promise that travels with every answer, in the wire's words.

One type for each rule, told apart by ``rule``; ``messages.privacy`` says what the
fields mean to a reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypedDict

from sigmacount.accounting.composition import PARALLEL, Composition, cost_of_replacing
from sigmacount.mechanisms import Amount

ADJACENCY: Final = "add-or-remove-one-row"


class GuaranteeOfAnyRule(TypedDict):
    """What an answer promises about one row, ready for JSON.

    Attributes:
        measure: which privacy the promise is in: ``epsilon`` for pure ε.
        composition: how atoms are added up: ``parallel`` or ``paper``.
        adjacency: which two tables the promise compares.
        micro_epsilon: price of the noise in this answer, drawn once (µε).
        epochs: T, the number of different epochs the noise's unit was shown in.
        micro_epsilon_over_epochs: price of all T of them (µε).
        replace_one_row_micro_epsilon: the same if a row may be *replaced* (µε).
        changes_are_exact: True when two epochs differ by the true change.
        protects: whom the promise covers, in words.
    """

    measure: str
    composition: str
    adjacency: str
    micro_epsilon: int
    epochs: int
    micro_epsilon_over_epochs: int
    replace_one_row_micro_epsilon: int
    changes_are_exact: bool
    protects: str


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


Guarantee: TypeAlias = FixedNoiseGuarantee | FixedNoiseOfNothing | RenewGuarantee


@dataclass(frozen=True, slots=True)
class NoiseUnit:
    """What was paid for and shown together: one algebra, or one fresh query.

    Attributes:
        price: of its noise under ``composition``.
        epochs: T ≥ 1, the number of different epochs it was shown in.
        composition: the rule that priced it.
    """

    price: Amount
    epochs: int = 1
    composition: Composition = PARALLEL


def fixed_noise(
    unit: NoiseUnit, over_epochs: Amount, rho: float
) -> FixedNoiseGuarantee:
    """The promise of Algorithm 5, with what it does not promise said aloud."""
    promise = _promise(unit, over_epochs)
    promise["changes_are_exact"] = True
    promise["protects"] = (
        "a row present and unchanged in every published epoch; a row inserted,"
        " changed or deleted after the first is shown exactly"
    )
    epsilon_0 = over_epochs.epsilon
    return {"rule": "fixed-noise", **promise, "rho": rho, "epsilon_0": epsilon_0}


def renew(unit: NoiseUnit, over_epochs: Amount) -> RenewGuarantee:
    """The promise of fresh noise at every epoch: plain sequential composition."""
    return RenewGuarantee(rule="renew", **_promise(unit, over_epochs))


def guarantee_of_nothing(rule: str) -> Guarantee:
    """The promise of the count of no row: it was known before anybody counted.

    Raises:
        ValueError: no rule has this name; a newer version named it.
    """
    promise = _promise(NoiseUnit(Amount.pure(0), epochs=0), Amount.pure(0))
    promise["protects"] = "every row: the empty set counts 0, whatever the table holds"
    if rule == "fixed-noise":
        return FixedNoiseOfNothing(rule="fixed-noise", **promise)
    if rule == "renew":
        return RenewGuarantee(rule="renew", **promise)
    msg = f"no rule is called {rule!r}"
    raise ValueError(msg)


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
        "protects": "any one row with its whole history: that it came, changed or left",
    }
