"""Changes: what came and went between two epochs, and how far that errs.

The difference of two released counts of one set, each with its noise and before any
post-processing. Where the noise of two epochs has much in common, little of it is left:
counters forget slowly, so the change of an hour is told with less error than a count.
It is post-processing: nothing is drawn, and nothing charged.
"""

from sigmacount.release.changes.changes import Changes, ChangesOf
from sigmacount.release.changes.laws import (
    DrawnAnew,
    NoiseBetween,
    RepeatedLaw,
    TicksBetween,
)
from sigmacount.release.changes.moments import Moment, SinceWhen
from sigmacount.release.changes.pooling import change_covariances

__all__ = [
    "Changes",
    "ChangesOf",
    "DrawnAnew",
    "Moment",
    "NoiseBetween",
    "RepeatedLaw",
    "SinceWhen",
    "TicksBetween",
    "change_covariances",
]
