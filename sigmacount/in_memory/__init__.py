"""In memory: the whole method in one process, for rows that fit into it.

A release holds rows, a plan and a ledger, and answers any query: by Algorithm 3 what
the plan's algebras hold, by Algorithm 1 what they do not. No Kafka, no Redis, one
epoch. Whoever holds the object holds the rows: it serves a person who may see them.
"""

from sigmacount.in_memory.release import Release
from sigmacount.in_memory.released_table import ReleasedRow, ReleasedTable

__all__ = ["Release", "ReleasedRow", "ReleasedTable"]
