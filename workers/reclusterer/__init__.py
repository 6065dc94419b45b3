"""The reclusterer: query log → plans, proposed when they are worth their price.

``query_log`` holds what was asked lately, ``verdict`` says whether the plan that it
asks for is worth proposing, ``reclusterer`` reads, decides and sends.
"""

from workers.reclusterer.query_log import QueryLog
from workers.reclusterer.reclusterer import Reclusterer, ReclustererStreams
from workers.reclusterer.verdict import (
    ReclustererOptions,
    ReclustererStores,
    best_plan,
)

__all__ = [
    "QueryLog",
    "Reclusterer",
    "ReclustererOptions",
    "ReclustererStores",
    "ReclustererStreams",
    "best_plan",
]
