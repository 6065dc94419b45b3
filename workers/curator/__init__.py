"""The curator: true counts → releases, and answers that need fresh noise.

SENSITIVE: one of the truth's two readers, and alone in drawing noise and spending.
"""

from workers.curator.connections import CuratorStores, CuratorStreams
from workers.curator.curator import Curator
from workers.curator.epochs.clock import seconds_between
from workers.curator.epochs.release import Releaser
from workers.curator.epochs.release_options import ReleaseOptions
from workers.curator.epochs.replica import Replica
from workers.curator.epochs.snapshot import EpochSnapshot
from workers.curator.fresh.fresh_counts import FreshCounts
from workers.curator.fresh.requests import FreshOptions
from workers.curator.options import CuratorOptions, LedgerLimits

__all__ = [
    "Curator",
    "CuratorOptions",
    "CuratorStores",
    "CuratorStreams",
    "EpochSnapshot",
    "FreshCounts",
    "FreshOptions",
    "LedgerLimits",
    "ReleaseOptions",
    "Releaser",
    "Replica",
    "seconds_between",
]
