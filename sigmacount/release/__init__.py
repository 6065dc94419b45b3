"""Release: a plan, the noisy counts made by it, and the answers read off them.

Which group answers a query, what its estimate and interval are, how counts are kept
non-negative, of one total, and in one order over every route. Algorithms 1 to 3.
"""

from sigmacount.release.ages import (
    Ages,
    Aging,
    CounterLaw,
    NoiseLaw,
    TreeLaw,
    counter_law,
)
from sigmacount.release.algorithms import perturb, tally
from sigmacount.release.answerers import Answerers
from sigmacount.release.answers.answerer import (
    Answerer,
    IndependentAlgebras,
    SourcedEstimate,
)
from sigmacount.release.answers.arrangement import TableArrangement
from sigmacount.release.answers.error_law import ErrorLaw, NormalError, SumOfDraws
from sigmacount.release.answers.estimates import (
    CONFIDENCE,
    NOTHING,
    Estimate,
    NoisyCount,
    estimate,
    nothing,
)
from sigmacount.release.answers.order import Order
from sigmacount.release.answers.ordered import OrderedAnswers
from sigmacount.release.answers.router import Router
from sigmacount.release.answers.tables import (
    RowEstimate,
    TableEstimate,
    answered_table,
    tabulated,
)
from sigmacount.release.changes import (
    Changes,
    ChangesOf,
    Moment,
    NoiseBetween,
    SinceWhen,
)
from sigmacount.release.group import Group, PlanUnit, ticks_of
from sigmacount.release.joint.answers import JointAnswers
from sigmacount.release.joint.estimating import VectorsById, covariances
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.joint.whole import EpochArrays
from sigmacount.release.lazy import PROMISED, LazyNoise
from sigmacount.release.making import EpochMaker
from sigmacount.release.plan import Plan
from sigmacount.release.postprocess import (
    POSTPROCESS,
    Postprocess,
    clamp,
    common_total,
    simplex,
)

__all__ = [
    "CONFIDENCE",
    "NOTHING",
    "POSTPROCESS",
    "PROMISED",
    "Ages",
    "Aging",
    "Answerer",
    "Answerers",
    "Changes",
    "ChangesOf",
    "CounterLaw",
    "EpochArrays",
    "EpochMaker",
    "ErrorLaw",
    "Estimate",
    "Group",
    "IndependentAlgebras",
    "JointAnswers",
    "JointPlan",
    "LazyNoise",
    "Moment",
    "NoiseBetween",
    "NoiseLaw",
    "NoisyCount",
    "NormalError",
    "Order",
    "OrderedAnswers",
    "Plan",
    "PlanUnit",
    "Postprocess",
    "Router",
    "RowEstimate",
    "SinceWhen",
    "SourcedEstimate",
    "SumOfDraws",
    "TableArrangement",
    "TableEstimate",
    "TreeLaw",
    "VectorsById",
    "answered_table",
    "clamp",
    "common_total",
    "counter_law",
    "covariances",
    "estimate",
    "nothing",
    "perturb",
    "simplex",
    "tabulated",
    "tally",
    "ticks_of",
]
