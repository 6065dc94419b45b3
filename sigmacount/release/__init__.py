"""Release: a plan, the noisy counts made by it, and the answers read off them.

Which group answers a query, what its estimate and interval are, how counts are kept
non-negative, of one total, and in one order over every route. Algorithms 1 to 3.
"""

from sigmacount.release.algorithms import perturb, tally
from sigmacount.release.answers.answerer import (
    Answerer,
    IndependentAlgebras,
    SourcedEstimate,
)
from sigmacount.release.answers.arrangement import TableArrangement
from sigmacount.release.answers.estimates import (
    CONFIDENCE,
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
from sigmacount.release.plan import Group, Plan
from sigmacount.release.postprocess import (
    POSTPROCESS,
    Postprocess,
    clamp,
    common_total,
    simplex,
)

__all__ = [
    "CONFIDENCE",
    "POSTPROCESS",
    "Answerer",
    "Estimate",
    "Group",
    "IndependentAlgebras",
    "NoisyCount",
    "Order",
    "OrderedAnswers",
    "Plan",
    "Postprocess",
    "Router",
    "RowEstimate",
    "SourcedEstimate",
    "TableArrangement",
    "TableEstimate",
    "answered_table",
    "clamp",
    "common_total",
    "estimate",
    "nothing",
    "perturb",
    "simplex",
    "tabulated",
    "tally",
]
