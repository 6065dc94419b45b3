"""µε: exact integer budgets, and the only place where ε becomes a float.

A budget is an ``int`` number of µε (1e-6 of ε). It becomes a float only to draw
noise or to predict error, and the noise scale is rounded *up*: more noise, never less.
"""

from __future__ import annotations

import math

MICRO = 1_000_000  # µε in one ε


def as_micro(as_epsilon: float) -> int:
    """Largest whole number of µε that is not above ``as_epsilon``.

    Raises:
        ValueError: ``as_epsilon`` is not finite and positive; the caller mends it.
    """
    if not (math.isfinite(as_epsilon) and as_epsilon > 0):
        msg = "ε must be finite and positive"
        raise ValueError(msg)
    return math.floor(as_epsilon * MICRO + 1e-9)


def as_epsilon(micro_epsilon: int) -> float:
    """The ε of a budget, for predictions and display only (nearest float)."""
    return micro_epsilon / MICRO


def laplace_scale(micro_epsilon: int, sensitivity: int = 1) -> float:
    """Scale of the Laplace noise that costs at most ``micro_epsilon``.

    Rounded towards more noise: ``sensitivity / scale ≤ ε`` holds exactly.

    Raises:
        ValueError: the budget or the sensitivity is below 1.
    """
    if micro_epsilon < 1 or sensitivity < 1:
        msg = "budget (µε) and sensitivity must be at least 1"
        raise ValueError(msg)
    return math.nextafter(sensitivity * MICRO / micro_epsilon, math.inf)
