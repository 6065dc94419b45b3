"""The curator: true counts → releases, and answers that need fresh noise.

SENSITIVE: one of the truth's two readers, and alone in drawing noise and spending.
"""

from workers.curator.connections import Stores
from workers.curator.curator import Curator
from workers.curator.epochs.release import Promise, Releaser
from workers.curator.epochs.replica import Replica
from workers.curator.epochs.snapshot import Snapshot
from workers.curator.fresh.fresh_counts import FreshCounts
from workers.curator.fresh.requests import Terms
from workers.curator.opening import Budget, Office, Streams

__all__ = [
    "Budget",
    "Curator",
    "FreshCounts",
    "Office",
    "Promise",
    "Releaser",
    "Replica",
    "Snapshot",
    "Stores",
    "Streams",
    "Terms",
]
