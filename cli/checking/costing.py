"""The amounts, the rule and the clock that `sigma check` reckons with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cli.exits import CommandRefused
from config.declarations import datasets
from config.privacy import Privacy
from sigmacount.accounting import FixedNoise, Renew
from sigmacount.errors import DomainTooLarge, InvalidSchema
from sigmacount.mechanisms import Amount, as_micro
from views.declaration import Budget, DeclarationView
from workers import clients

FAULTS: Final = (InvalidSchema, DomainTooLarge)
PLAN: Final = Amount.pure(100_000)  # 0.1 ε, where neither option nor setting says more
RULES: Final = (FixedNoise.name, Renew.name)


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


def view(file: str, given: Given) -> DeclarationView:
    """What a declaration costs.

    Raises:
        InvalidSchema, DomainTooLarge: it has faults, a line each.
        CommandRefused: an option is out of its bounds.
    """
    dataset = datasets.load(file)
    settings = clients.without_dataset()
    privacy = settings.privacy
    plan = _amount("--epsilon", given.plan, privacy.plan_budget if privacy else None)
    return DeclarationView(
        dataset,
        plan or PLAN,
        privacy.composition if privacy else Privacy.model_fields["composition"].default,
        _budget(given, privacy),
        given.epoch or settings.curator.epoch_seconds,
    )


def _budget(given: Given, privacy: Privacy | None) -> Budget | None:
    """The whole budget and its rule; None where nobody named a budget."""
    total = _amount("--budget", given.budget, privacy.budget if privacy else None)
    rule = given.rule or (privacy.rule if privacy else FixedNoise.name)
    churn = given.churn or (privacy.churn_probability if privacy else None)
    if rule not in RULES:
        msg = f"--rule is one of {', '.join(RULES)}, not {rule!r}"
        raise CommandRefused(msg)
    if churn is not None and not 0 < churn < 1:
        msg = "--churn is a probability, strictly between 0 and 1"
        raise CommandRefused(msg)
    if total is None:
        return None
    if rule == Renew.name:
        return Budget(total, rule, None)
    if churn is None:
        msg = "how long a budget lasts under fixed-noise depends on --churn: name it"
        raise CommandRefused(msg)
    return Budget(total, rule, churn)


def _amount(option: str, given: float | None, setting: int | None) -> Amount | None:
    if given is None:
        return None if setting is None else Amount.pure(setting)
    try:
        return Amount.pure(as_micro(given, option))
    except ValueError as error:
        raise CommandRefused(str(error)) from None
