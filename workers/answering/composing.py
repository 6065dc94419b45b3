"""Composing: what is promised of several noises together, whose prices add up.

A row of the dataset is in one atom of each, so they compose sequentially. In pure ε
every promise is a sum; in ρ the prices are, and their sum is read as (ε, δ) once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final, TypeAlias, TypeGuard

import msgspec
from msgspec import UNSET

from sigmacount.accounting import (
    Composition,
    Continual,
    NoiseUnit,
    cost_of_replacing,
    surcharge_in_zcdp,
)
from sigmacount.mechanisms import Amount, as_epsilon, micro_epsilon_of
from streams.wire.messages.privacy import (
    ContinualGuarantee,
    ContinualZcdpGuarantee,
    FixedNoiseGuarantee,
    FixedNoiseZcdpGuarantee,
    Guarantee,
    RenewZcdpGuarantee,
)

_PRICES: Final = (
    "micro_epsilon",
    "micro_epsilon_over_epochs",
    "replace_one_row_micro_epsilon",
)
_InRho: TypeAlias = FixedNoiseZcdpGuarantee | RenewZcdpGuarantee
_OverTime: TypeAlias = ContinualGuarantee | ContinualZcdpGuarantee


def composed(promises: Sequence[Guarantee | None]) -> Guarantee | None:
    """What is promised of several noises together: they cost the sum of their prices.

    None: an epoch of an older version promised nothing of one of them.
    """
    said = [each for each in promises if each is not None]
    if len(said) < len(promises):
        return None
    if len(said) == 1:
        return said[0]
    if _are_over_time(said):
        return _over_time(said)
    return _in_rho(said) if _are_in_rho(said) else _in_epsilon(said)


def _over_time(said: Sequence[_OverTime]) -> Guarantee:
    """As the rule itself says of their prices together.

    κ of several is a mean of theirs, so it is at most the largest. Together they are
    rated for as many epochs as the one of them that is rated for the fewest.
    """
    rated = [each for each in said if each.horizon is not UNSET]
    if not rated:  # counts of no row
        return said[0]
    prices = (
        Amount.pure(each.micro_epsilon)
        if isinstance(each, ContinualGuarantee)
        else Amount.zcdp(each.pico_rho)
        for each in said
    )
    unit = NoiseUnit(
        reduce(add, prices),
        max(each.epochs for each in said),
        Composition(rated[0].composition),
        max(each.overlap for each in said if each.overlap is not UNSET),
    )
    return msgspec.convert(_rule_of(rated).guarantee(unit), type(rated[0]))


def _rule_of(rated: Sequence[_OverTime]) -> Continual:
    """The rule that all of these were said by: with the fewest epochs of theirs."""
    first = rated[0]
    return Continual(
        min(each.horizon or 0 for each in rated),
        first.tick_seconds or 0.0,
        delta=None if isinstance(first, ContinualGuarantee) else first.delta,
        changes_limit=first.changes_limit or None,
        counted_from=max(each.counted_from or 0 for each in rated),
        owner_rows=first.owner.rows if first.owner else None,
    )


def _are_over_time(said: Sequence[Guarantee]) -> TypeGuard[Sequence[_OverTime]]:
    return all(isinstance(each, _OverTime) for each in said)


def _in_epsilon(said: Sequence[Guarantee]) -> Guarantee:
    summed = {name: sum(getattr(each, name) for each in said) for name in _PRICES}
    epochs = max(each.epochs for each in said)
    both = msgspec.structs.replace(said[0], epochs=epochs, **summed)
    if isinstance(both, FixedNoiseGuarantee):
        epsilon_0 = as_epsilon(both.micro_epsilon_over_epochs)
        both = msgspec.structs.replace(both, epsilon_0=epsilon_0)
    return both


def _are_in_rho(said: Sequence[Guarantee]) -> TypeGuard[Sequence[_InRho]]:
    return all(isinstance(each, _InRho) for each in said)


def _in_rho(said: Sequence[_InRho]) -> Guarantee:
    """Prices as sums, and what they promise; δ is that of the dataset."""
    first = said[0]
    once = sum(each.pico_rho for each in said)
    drawn = Amount.zcdp(sum(each.pico_rho_over_epochs for each in said))
    again = Amount.zcdp(sum(each.pico_rho * (each.epochs - 1) for each in said))
    replaced = cost_of_replacing(drawn)
    return msgspec.structs.replace(
        first,
        epochs=max(each.epochs for each in said),
        pico_rho=once,
        epsilon=as_epsilon(micro_epsilon_of(once, first.delta)),
        pico_rho_over_epochs=drawn.units,
        epsilon_over_epochs=_promised(first, drawn, again),
        replace_one_row_pico_rho=replaced.units,
        replace_one_row_epsilon=_promised(first, replaced, cost_of_replacing(again)),
    )


def _promised(by: _InRho, drawn: Amount, again: Amount) -> float:
    """The ε of what was drawn, and under fixed-noise was shown ``again``."""
    micro = micro_epsilon_of(drawn.units, by.delta)
    if isinstance(by, FixedNoiseZcdpGuarantee) and by.churn is not UNSET:
        micro += surcharge_in_zcdp(drawn.units, again.units, by.churn, by.delta)
    return as_epsilon(micro)
