"""The promise as the settings make it: which rule, what one fresh question costs."""

from __future__ import annotations

from config.privacy import Privacy
from sigmacount.accounting import (
    Composition,
    EvolvingRule,
    FixedNoise,
    NoiseUnit,
    Renew,
)
from sigmacount.mechanisms import DiscreteLaplace
from streams.wire.messages.catalog import Promise


def evolving_rule(privacy: Privacy) -> EvolvingRule:
    """How later epochs are released."""
    if privacy.rule == "fixed-noise" and privacy.churn_probability is not None:
        return FixedNoise(privacy.churn_probability)
    return Renew()


def promise_of(privacy: Privacy) -> Promise:
    """What every answer promises; the price is of one fresh question, asked once."""
    rule = evolving_rule(privacy)
    composition = Composition(privacy.composition)
    price = DiscreteLaplace.costing(privacy.fresh).price
    said = rule.guarantee(NoiseUnit(price, composition=composition))
    return Promise(
        rule=rule.name,
        measure=price.measure.value,
        composition=composition.value,
        adjacency=said["adjacency"],
        fresh=price.units,
        changes_are_exact=said["changes_are_exact"],
        protects=said["protects"],
    )
