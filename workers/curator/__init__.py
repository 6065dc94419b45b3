"""The curator: true counts → releases, and answers that need fresh noise.

SENSITIVE: one of the truth's two readers, and alone in drawing noise and spending.
"""

from workers.curator.fresh import FreshCounts
from workers.curator.office import Budget, Office, Streams
from workers.curator.reign import Curator
from workers.curator.release import Promise, Releaser
from workers.curator.replica import Replica
from workers.curator.snapshot import Snapshot
from workers.curator.stores import Stores
from workers.curator.wishes import Terms

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
