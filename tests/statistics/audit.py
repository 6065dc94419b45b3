"""An audit by a membership game: a lower bound of ε from what an attacker gets right.

The attacker sees one release and says whether Alice's row is in the table. For every
event S, ε ≥ ln P(S | with Alice) / P(S | without): so the bound of a true mechanism
is above its ε with probability at most α, and one above the claim is a proof against
it.
"""

import math

import numpy as np

from tests.statistics import coins


def shown_of(show, sums):
    """What is shown of each game's noisy sums, int64 (games, K): a list (games,).

    Post-processing knows nothing else, so games of equal sums are shown once.
    """
    found, which = np.unique(sums, axis=0, return_inverse=True)
    shown = [show(each) for each in found]
    return [shown[k] for k in which.ravel()]


def epsilon_at_least(hits, games, alpha):
    """Lower bound of ε.

    ``hits`` is (with, without): how often the event S came among ``games`` releases
    of the table with Alice and as many without her.
    """
    likely = coins.at_least(int(hits[0]), games, alpha / 2)
    unlikely = coins.at_most(int(hits[1]), games, alpha / 2)
    return math.log(likely / unlikely) if likely > 0 else -math.inf
