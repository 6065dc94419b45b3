"""The amounts, the rule and the clock that `sigma check` reckons with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, get_args

from cli.exits import CommandRefused
from config.declarations import datasets
from config.privacy import Privacy, rated_epochs
from sigmacount.accounting import FixedNoise
from sigmacount.errors import DomainTooLarge, InvalidSchema
from sigmacount.mechanisms import Amount, Measure, as_micro, most_rho
from views.budget import Budget
from views.declaration import DeclarationView
from workers import clients

FAULTS: Final = (InvalidSchema, DomainTooLarge)
PLAN: Final = Amount.pure(100_000)  # 0.1 ε, where neither option nor setting says more
RULES: Final = get_args(Privacy.model_fields["rule"].annotation)


@dataclass(frozen=True, slots=True)
class Given:
    """The options of `sigma check`; what is None is left to the settings.

    Units: ``plan`` and ``budget`` in ε, ``epoch`` in seconds.
    """

    plan: float | None = None
    budget: float | None = None
    epoch: float | None = None
    rule: str | None = None
    churn: float | None = None
    delta: float | None = None


def view(file: str, given: Given) -> DeclarationView:
    """What a declaration costs.

    Raises:
        InvalidSchema, DomainTooLarge: it has faults, a line each.
        CommandRefused: an option is out of its bounds.
    """
    dataset = datasets.load(file)
    settings = clients.without_dataset()
    privacy = settings.privacy
    epoch_seconds = given.epoch or settings.curator.epoch_seconds
    named = privacy and privacy.amount(privacy.plan_budget)
    return DeclarationView(
        dataset,
        _amount("--epsilon", given.plan, named or PLAN, _delta(given, privacy)),
        privacy.composition if privacy else Privacy.model_fields["composition"].default,
        _budget(given, privacy, epoch_seconds),
        epoch_seconds,
    )


def _budget(
    given: Given, privacy: Privacy | None, epoch_seconds: float
) -> Budget | None:
    """The whole budget and its rule; None where nobody named a budget."""
    rule, churn = _rule(given, privacy)
    delta, named = _delta(given, privacy), privacy and privacy.total
    if given.budget is None and named is None:
        return None
    total = _amount("--budget", given.budget, named or PLAN, delta)
    if rule == "continual":
        horizon = privacy.horizon if privacy else None
        rated = rated_epochs(horizon, epoch_seconds, total.measure)
        return Budget(total, rule, None, delta, rated=rated)
    if rule != FixedNoise.name:
        return Budget(total, rule, None, delta)
    if churn is None:
        msg = "how long a budget lasts under fixed-noise depends on --churn: name it"
        raise CommandRefused(msg)
    return Budget(total, rule, churn, delta, _purse(given, privacy, delta))


def _rule(given: Given, privacy: Privacy | None) -> tuple[str, float | None]:
    """Its name, and how likely a row is to change, which `fixed-noise` asks for."""
    rule = given.rule or (privacy.rule if privacy else FixedNoise.name)
    churn = given.churn or (privacy.churn_probability if privacy else None)
    if rule not in RULES:
        msg = f"--rule is one of {', '.join(RULES)}, not {rule!r}"
        raise CommandRefused(msg)
    if churn is not None and not 0 < churn < 1:
        msg = "--churn is a probability, strictly between 0 and 1"
        raise CommandRefused(msg)
    return rule, churn


def _purse(given: Given, privacy: Privacy | None, delta: float | None) -> Amount | None:
    """What showing noise again may cost beside a total in ρ: as set, or half its ε."""
    if delta is None:
        return None
    if given.budget is not None:
        return Amount.pure(as_micro(given.budget) // 2)
    return None if privacy is None else Amount.pure(privacy.surcharge_budget)


def _delta(given: Given, privacy: Privacy | None) -> float | None:
    """δ of the promise; None: it is in pure ε."""
    if given.delta is not None and not 0 < given.delta < 1:
        msg = "--delta is a probability, strictly between 0 and 1, such as 1e-9"
        raise CommandRefused(msg)
    return given.delta or (privacy.delta if privacy else None)


def _amount(
    option: str, given: float | None, named: Amount, delta: float | None
) -> Amount:
    """An amount of ε, or the ρ that promises as much at δ."""
    try:
        amount = named if given is None else Amount.pure(as_micro(given, option))
    except ValueError as error:
        raise CommandRefused(str(error)) from None
    if delta is None or amount.measure is Measure.RHO:
        return amount
    rho = most_rho(amount.units, delta)
    if not rho:
        msg = f"{option}: so little ε at this δ is less than 1 pρ, and buys no noise"
        raise CommandRefused(msg)
    return Amount.zcdp(rho)
