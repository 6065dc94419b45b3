"""Faults that the test of the order over all routes must see."""

from tests.theorems.mutation import Mutation

ORDER = "theorems/test_total_order.py"

FAULTS = (
    Mutation(
        "each group answers for itself",
        "release/answers/order.py",
        "median(inner, low, high), median(outer, low, high)",
        "inner, outer",
        ORDER,
    ),
    Mutation(
        "groups have no rank",
        "release/answers/order.py",
        "ranked = sorted(groups, key=lambda group: group.rank)",
        "ranked = sorted(groups, key=lambda group: group.id)",
        ORDER,
    ),
    Mutation(
        "a fresh answer ignores the algebras",
        "release/answers/ordered.py",
        "low, high = self._order.bracket(query)\n",
        "low, high = 0, 2**62\n",
        ORDER,
    ),
    Mutation(
        "a fresh answer ignores its subsets",
        "release/answers/ordered.py",
        "low = max([low, *(counts[k] for k in below if k in counts)])",
        "low = max([low])",
        ORDER,
    ),
    Mutation(
        "a fresh answer ignores its supersets",
        "release/answers/ordered.py",
        "high = min([high, *(counts[k] for k in above if k in counts)])",
        "high = min([high])",
        ORDER,
    ),
    Mutation(
        "what is placed later is no subset",
        "release/answers/ordered.py",
        "other.below.append(row)",
        "pass",
        ORDER,
    ),
    Mutation(
        "what is placed later is no superset",
        "release/answers/ordered.py",
        "other.above.append(row)",
        "pass",
        ORDER,
    ),
    Mutation(
        "an atom that is cut counts as inside",
        "sets/algebras/bounds.py",
        "inner = np.logical_and.reduceat(inner, starts, axis)",
        "inner = np.logical_or.reduceat(inner, starts, axis)",
        ORDER,
    ),
)
