"""The promise as the settings make it: which rule, what one fresh question costs."""

from __future__ import annotations

from typing import Final

import msgspec

from config.privacy import Privacy
from sigmacount.accounting import (
    Composition,
    Continual,
    Era,
    EvolvingRule,
    FixedNoise,
    NoiseUnit,
    Renew,
    in_era,
)
from sigmacount.continual import ErrorGrowth
from sigmacount.mechanisms import (
    Mechanism,
    as_epsilon,
    noise_costing,
)
from streams.wire.messages.catalog import Promise, PromiseOverTime

WORST_OVERLAP: Final = 1.0  # κ of plans that are not made yet


def evolving_rule(privacy: Privacy, epoch_seconds: float) -> EvolvingRule:
    """How later epochs are released, one every so often."""
    if privacy.rule == Continual.name:
        rated = privacy.rated_epochs(epoch_seconds)
        return Continual(
            rated,
            epoch_seconds,
            delta=privacy.delta,
            changes_limit=privacy.changes_limit,
            owner_rows=privacy.owner_rows,
        )
    if privacy.rule == FixedNoise.name and privacy.churn_probability is not None:
        return FixedNoise(privacy.churn_probability, delta=privacy.delta)
    return Renew(delta=privacy.delta)


def errors_over_time(
    privacy: Privacy | None, epoch_seconds: float
) -> ErrorGrowth | None:
    """How errors grow while epochs are published for one charge; None: they do not."""
    if privacy is None or privacy.rule != "continual":
        return None
    return ErrorGrowth.of(privacy.total.measure, privacy.rated_epochs(epoch_seconds))


def fresh_noise(privacy: Privacy) -> Mechanism:
    """The noise of one fresh question, in the measure of the ledger."""
    return noise_costing(privacy.amount(privacy.fresh))


def promise_of(
    privacy: Privacy, epoch_seconds: float, era: Era | None = None
) -> Promise:
    """What every answer promises; the price is of one fresh question, asked once.

    ``era`` is the one in force, where a ledger is open: it says what counters are rated
    for, and what is counted as lost.
    """
    rule = evolving_rule(privacy, epoch_seconds)
    if era is not None and era.rule == rule.name:
        rule = in_era(rule, era)
    composition = Composition(privacy.composition)
    price = fresh_noise(privacy).price
    said = rule.guarantee(NoiseUnit(price, composition=composition))
    epsilon, delta = promise_in_all(privacy)
    return Promise(
        rule=rule.name,
        measure=price.measure.value,
        composition=composition.value,
        adjacency=said["adjacency"],
        fresh=price.units,
        changes_are_exact=said["changes_are_exact"],
        protects=said["protects"],
        total=privacy.total.units,
        epsilon=epsilon,
        delta=delta,
        over_time=_over_time(privacy, rule) if isinstance(rule, Continual) else None,
    )


def _over_time(privacy: Privacy, rule: Continual) -> PromiseOverTime:
    """What all charges together promise a row that changes, whatever is planned."""
    said = rule.guarantee(NoiseUnit(privacy.total, overlap=WORST_OVERLAP))
    return msgspec.convert(said, PromiseOverTime)


def promise_in_all(privacy: Privacy) -> tuple[float, float | None]:
    """ε and δ of all that the ledger may ever grant; no δ in pure ε.

    What is drawn for promises the budget at δ. What showing it again may cost comes on
    top, at another δ.
    """
    if privacy.delta is None:
        return as_epsilon(privacy.budget), None
    if privacy.surcharges is None:
        return as_epsilon(privacy.budget), privacy.delta
    return as_epsilon(privacy.budget + privacy.surcharges.units), 2 * privacy.delta
