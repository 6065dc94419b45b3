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
    cost_of_replacing,
    times_charged,
)
from sigmacount.accounting.eras import Era, era_in_force, mixing
from sigmacount.accounting.evolving.continual import Continual, in_era
from sigmacount.accounting.evolving.headroom import (
    Bill,
    Headroom,
    Purse,
    affordable,
    charges_in_turn,
    cost_now,
    within,
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
    max_epochs_in_zcdp,
    surcharge,
    surcharge_in_zcdp,
)
from sigmacount.accounting.guarantees.changes import (
    Protection,
    price_of_changes,
    price_of_owner,
    protections,
)
from sigmacount.accounting.guarantees.guarantee import RULES, guarantee_of_nothing
from sigmacount.accounting.guarantees.noise_unit import NoiseUnit
from sigmacount.accounting.guarantees.of_changes import OverTime
from sigmacount.accounting.restoration import restored_lines
from sigmacount.accounting.surcharge_limits import (
    NO_SURCHARGES,
    SurchargeLimits,
    caps_of_purse,
)
from sigmacount.mechanisms import MOST_UNITS

__all__ = [
    "MOST_UNITS",
    "NOTE_PURPOSES",
    "NO_SURCHARGES",
    "PAPER",
    "PARALLEL",
    "PURPOSES",
    "RULES",
    "AlgebrasShown",
    "Allowance",
    "AllowanceLevel",
    "Bill",
    "Charge",
    "Composition",
    "Continual",
    "Due",
    "Entry",
    "Era",
    "EvolvingRule",
    "FixedNoise",
    "Headroom",
    "NoiseState",
    "NoiseUnit",
    "NoiseUse",
    "OverTime",
    "Protection",
    "Purpose",
    "Purse",
    "QueryShown",
    "Renew",
    "Showing",
    "SurchargeLimits",
    "Unexposed",
    "adoption",
    "affordable",
    "caps_of_purse",
    "chain",
    "charges_in_turn",
    "cost_now",
    "cost_of_algebra",
    "cost_of_groups",
    "cost_of_replacing",
    "epoch_charge",
    "epsilon_after",
    "era_in_force",
    "first_hash",
    "follows",
    "guarantee_of_nothing",
    "in_era",
    "intact",
    "max_epochs",
    "max_epochs_in_zcdp",
    "mixing",
    "price_of_changes",
    "price_of_owner",
    "protections",
    "restored_lines",
    "surcharge",
    "surcharge_in_zcdp",
    "times_charged",
    "with_noise",
    "within",
]
