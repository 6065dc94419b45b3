"""Freezing: why no epoch follows the last one, and what an operator can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from sigmacount.errors import (
    BudgetExhausted,
    CountsTooLarge,
    InvalidPlan,
    NoiseTooWide,
    UnfitRelease,
)


class FrozenFor(NamedTuple):
    """A reason of a head, in words, and its remedy."""

    words: str
    remedy: str


_ANEW: Final = "propose a plan (`sigma plan propose`)"
REASONS: Final[Mapping[str, FrozenFor]] = {
    BudgetExhausted.code: FrozenFor(
        "the budget does not pay for another epoch",
        "`sigma ledger` shows what was bought; a larger SIGMA_PRIVACY_BUDGET, which"
        " is a new promise to the people in the table, and a restart of the curators"
        " go on from here",
    ),
    NoiseTooWide.code: FrozenFor(
        "noise of the plan in force is too wide for counters of this horizon",
        f"{_ANEW} that spends more on its noise; the budget is not spent",
    ),
    InvalidPlan.code: FrozenFor(
        "noise of the plan in force cannot be counted over time",
        f"{_ANEW} in the measure of the ledger; the budget is not spent",
    ),
    UnfitRelease.code: FrozenFor(
        "the tables of the last epoch could not be made",
        f"raise rows_max in the declaration, or give the curator memory, and {_ANEW};"
        " the event epoch_unfit of its log says which",
    ),
    CountsTooLarge.code: FrozenFor(
        "sums of the last epoch left 64 bits",
        f"{_ANEW} of fewer or smaller tables; the event epoch_unfit of the curator's"
        " log says more",
    ),
}


def frozen_for(reason: str) -> FrozenFor:
    """What a head says, in words; of a newer version's reason, the reason itself."""
    unknown = FrozenFor(reason, "look at the event release_frozen of the curator's log")
    return REASONS.get(reason, unknown)
