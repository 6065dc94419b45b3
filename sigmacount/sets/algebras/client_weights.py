"""Client weights: how often each asked, capped so that none outweighs the rest.

A cap on a share of the *total* lets whoever asks most raise the total and the cap
with it. Here a client is held against the others: it weighs at most
c / (1 − c) times as much as they do, which is a share c of what is left of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction


def capped_weights(times: Mapping[str, int], cap: float) -> dict[str, float]:
    """What each client weighs: its ``times``, or the level that holds for all.

    The level L is the largest one with L ≤ c · Σ min(tᵢ, L): poured over all clients
    at once, since to lower one of them lowers what the others may weigh. Among fewer
    clients than 1 / c somebody has more than c whatever is done; all that asked then
    weigh the same, which is the smallest share that the largest can have. A client
    alone is not capped.

    Raises:
        ValueError: ``cap`` outside (0, 1]; the caller mends the configuration.
    """
    if not 0 < cap <= 1:
        msg = "a cap on the share of a client must lie in (0, 1]"
        raise ValueError(msg)
    most = capping_level(
        sorted((t for t in times.values() if t > 0), reverse=True), cap
    )
    return {client: min(float(max(0, t)), most) for client, t in times.items()}


def capping_level(falling: list[int], cap: float) -> float:
    """What no client weighs more than, from what each asked, largest first.

    With the k largest of them on the level, L = c (k L + what the others asked).
    Fractions, since a level that is a hair too low would cut the next client as well.
    """
    if not falling:
        return 0.0
    share = max(Fraction(cap), Fraction(1, len(falling)))
    on_level, others = 0, sum(falling)
    while share * others < falling[on_level] * (1 - share * on_level):
        others -= falling[on_level]
        on_level += 1
    return float(share * others / (1 - share * on_level))
