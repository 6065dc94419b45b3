"""Rows: one partition of their topic as counts, each row once however delivered."""

from sigmacount.models.rows.changes import GONE, UNLIMITED, Changed, moves
from sigmacount.models.rows.identity import OWNER_ROWS, STRANGE, RowIdentity
from sigmacount.models.rows.partition import RowPartition

__all__ = [
    "GONE",
    "OWNER_ROWS",
    "STRANGE",
    "UNLIMITED",
    "Changed",
    "RowIdentity",
    "RowPartition",
    "moves",
]
