"""Accounting: what every act costs, what was charged, and what may be promised.

Composition rules price a release, evolving rules price showing it again (Theorem 5),
charges are the chained lines of a ledger, and a guarantee says to whom the promise is
made. The ledger itself is a model of what Redis runs: ``sigmacount.models``.
"""

from sigmacount.accounting.allowance import Allowance, AllowanceLevel, adoption
from sigmacount.accounting.charges import (
    NOTE_PURPOSES,
    PURPOSES,
    Charge,
    Entry,
    Purpose,
    chain,
    first_hash,
    follows,
    intact,
)
from sigmacount.accounting.composition import (
    PAPER,
    PARALLEL,
    Composition,
    cost_of_algebra,
    cost_of_groups,
    times_charged,
)
from sigmacount.accounting.eras import Era, era_in_force
from sigmacount.accounting.evolving.headroom import (
    Bill,
    Headroom,
    affordable,
    charges_in_turn,
    cost_now,
)
from sigmacount.accounting.evolving.rules import (
    Due,
    EvolvingRule,
    FixedNoise,
    Renew,
    Unexposed,
    with_noise,
)
from sigmacount.accounting.evolving.showing import (
    AlgebrasShown,
    NoiseState,
    NoiseUse,
    QueryShown,
    Showing,
)
from sigmacount.accounting.evolving.surcharge import (
    epoch_charge,
    epsilon_after,
    max_epochs,
    surcharge,
)
from sigmacount.accounting.guarantee import NoiseUnit, guarantee_of_nothing
from sigmacount.accounting.restoration import restored_lines
from sigmacount.mechanisms import MOST_UNITS

__all__ = [
    "MOST_UNITS",
    "NOTE_PURPOSES",
    "PAPER",
    "PARALLEL",
    "PURPOSES",
    "AlgebrasShown",
    "Allowance",
    "AllowanceLevel",
    "Bill",
    "Charge",
    "Composition",
    "Due",
    "Entry",
    "Era",
    "EvolvingRule",
    "FixedNoise",
    "Headroom",
    "NoiseState",
    "NoiseUnit",
    "NoiseUse",
    "Purpose",
    "QueryShown",
    "Renew",
    "Showing",
    "Unexposed",
    "adoption",
    "affordable",
    "chain",
    "charges_in_turn",
    "cost_now",
    "cost_of_algebra",
    "cost_of_groups",
    "epoch_charge",
    "epsilon_after",
    "era_in_force",
    "first_hash",
    "follows",
    "guarantee_of_nothing",
    "intact",
    "max_epochs",
    "restored_lines",
    "surcharge",
    "times_charged",
    "with_noise",
]
