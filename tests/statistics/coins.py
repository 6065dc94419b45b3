"""Which coins a frequency speaks for: Chernoff's bound, in relative entropy.

Valid at every number of throws. Tighter than Hoeffding's 2n(p̂ − p)² wherever p is not
one half, and a little wider than the interval of Clopper and Pearson, whose quantiles
would need scipy.
"""

import math


def entropy(seen, believed):
    """KL(seen ‖ believed) of two coins."""
    return sum(
        s * math.log(s / b) if s > 0 else 0.0
        for s, b in ((seen, believed), (1 - seen, 1 - believed))
    )


def believable(hits, size, believed, alpha):
    """Whether a coin of ``believed`` may have given ``hits`` in ``size``.

    A true coin is called unbelievable with probability at most ``alpha``.
    """
    return size * entropy(int(hits) / size, believed) <= math.log(2 / alpha)


def at_least(hits, size, alpha):
    """Lower bound of the coin; above the truth with probability at most ``alpha``."""
    return _edge(hits / size, 0.0, math.log(1 / alpha) / size)


def at_most(hits, size, alpha):
    """Upper bound of the coin; below the truth with probability at most ``alpha``."""
    return _edge(hits / size, 1.0, math.log(1 / alpha) / size)


def _edge(seen, end, allowed):
    """The coin between ``seen`` and ``end`` whose entropy is ``allowed``.

    Bisection keeps the outer point, so the bound errs on the safe side.
    """
    if seen == end:
        return end
    inner, outer = seen, end
    for _ in range(100):
        middle = (inner + outer) / 2
        if 0 < middle < 1 and entropy(seen, middle) <= allowed:
            inner = middle
        else:
            outer = middle
    return outer
