"""Models: what the Lua functions in Redis must do, in plain Python.

Each class is the specification of one kind of key; ``tests/contracts`` runs both side
by side. The service uses the values here; a release in memory keeps its budget in a
``Ledger``; the other models serve the tests.
"""

from sigmacount.models.basis import EpochBasis, counts_digest
from sigmacount.models.ledger import Ledger
from sigmacount.models.rows import (
    GONE,
    OWNER_ROWS,
    STRANGE,
    UNLIMITED,
    Changed,
    RowIdentity,
    moves,
)
from sigmacount.models.shelf import NO_HISTORY, HistoryLimits
from sigmacount.models.vault import NoiseName

__all__ = [
    "GONE",
    "NO_HISTORY",
    "OWNER_ROWS",
    "STRANGE",
    "UNLIMITED",
    "Changed",
    "EpochBasis",
    "HistoryLimits",
    "Ledger",
    "NoiseName",
    "RowIdentity",
    "counts_digest",
    "moves",
]
