"""Theorems 2 to 4: when sigma-counting wins, and how to split an ε among groups.

Theorems 2, 3 and 4 compare a grouping with the benchmark at one total ε. Each is here
under both composition rules: the paper's, which charges |Ω_k| ε′, and ``parallel``,
which charges ε′ (mathematics: one row sits in one atom). Theorem 5 is in
``sigmacount.accounting``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import times_charged
from sigmacount.errors import BudgetExhausted

LIMIT_OF_A_PLAN: Final = "the plan"  # whose budget a split may exhaust
Floats = Sequence[float] | NDArray[np.float64]


def theorem_2(rule: str, atoms: int) -> float:
    """One algebra beats the benchmark as soon as Q is above this.

    Paper: |Ω|^{3/2}. Parallel: |Ω|^{1/2}.
    """
    return theorem_3(rule, [atoms])


def theorem_3(rule: str, atoms: Sequence[int]) -> float:
    """K algebras of one ε′ beat the benchmark as soon as Q is above this.

    Paper: (Σ |Ω_k|) √max |Ω_k|. Parallel: K √max |Ω_k|.

    Raises:
        ValueError: no algebra, an empty one, or an unknown rule; a fault of the
            calling code.
    """
    if not atoms:
        msg = "a grouping has at least one algebra"
        raise ValueError(msg)
    paid = sum(times_charged(rule, each) for each in atoms)
    return paid * math.sqrt(max(atoms))


def theorem_4(rule: str, atoms: Sequence[int], left_over: float) -> float:
    """The same when a share p of the queries is fresh: Theorem 3 over (1 − p).

    Raises:
        ValueError: ``left_over`` outside [0, 1): with every query fresh nothing is
            gained, however many are asked.
    """
    if not 0 <= left_over < 1:
        msg = "the share of fresh queries must lie in [0, 1)"
        raise ValueError(msg)
    return theorem_3(rule, atoms) / (1 - left_over)


def utility(variances: Floats, weights: Floats | None = None) -> float:
    """Definition 6: the mean of 2 / Var over the queries.

    Shapes: float (Q,) each; without weights every query counts once.
    """
    return float(np.average(2 / np.asarray(variances, float), weights=weights))


def mean_error(variances: Floats, weights: Floats | None = None) -> float:
    """Mean squared error over the queries (rows²).

    The paper's tables divide the benchmark's by the algorithm's and call the ratio
    utility as well; the two are different figures.

    Shapes: float (Q,) each; without weights every query counts once.
    """
    return float(np.average(np.asarray(variances, float), weights=weights))


def least_error(epsilon: float, errors: Floats, prices: Floats | None = None) -> float:
    """Σ W_k · 2/ε_k² at the best split of ε: 2 (Σ (W_k n_k²)^{1/3})³ / ε².

    Shapes:
        errors  float (K,)  W_k: atoms summed over the queries of group k
        prices  float (K,)  n_k: cost of the group at ε_k = 1; 1 under ``parallel``
    """
    priced = 1.0 if prices is None else np.asarray(prices, float) ** 2
    return float(
        2 * np.cbrt(np.asarray(errors, float) * priced).sum() ** 3 / epsilon**2
    )


def split_budget(
    budget: int, errors: Sequence[float], prices: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The ε of each group that makes the total error least: ε_k ∝ (W_k / n_k)^{1/3}.

    Whole µε: every group gets one, the rest is shared, rounded down, and what is left
    over goes to those who lost most by it. Σ n_k ε_k never exceeds the budget, and
    equals it when a group costs its ε.

    Units: µε. Shapes: as in ``least_error``.

    Raises:
        BudgetExhausted: less than 1 µε for each group; the caller takes fewer.
    """
    paid = list(prices) if prices is not None else [1] * len(errors)
    if (asked := sum(paid)) > budget:
        raise BudgetExhausted(LIMIT_OF_A_PLAN, asked, budget)
    left = budget - asked
    wanted = _wanted(errors, paid)
    whole = sum((n * w for n, w in zip(paid, wanted, strict=True)), Fraction())
    ideal = [left * w / whole for w in wanted]
    shares = [math.floor(share) for share in ideal]
    left -= sum(n * share for n, share in zip(paid, shares, strict=True))
    for k in sorted(range(len(paid)), key=lambda k: shares[k] - ideal[k]):
        if paid[k] <= left:
            shares[k] += 1
            left -= paid[k]
    return tuple(1 + share for share in shares)


def _wanted(errors: Sequence[float], paid: Sequence[int]) -> list[Fraction]:
    """(W_k / n_k)^{1/3}, exactly as the float has it; all alike when none is asked."""
    roots = [
        Fraction(math.cbrt(error / n)) for error, n in zip(errors, paid, strict=True)
    ]
    return roots if any(roots) else [Fraction(1)] * len(roots)
