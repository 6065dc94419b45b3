"""Clusters: attributes that are queried together lie together (Algorithm 3, line 1).

The vertical split of the paper's workflow: disjoint sets of attributes, such that
those of different sets are less jointly queried than those of one set.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.planner.objective import Objective

ROUNDING: Final = 1e-9  # of logarithms: a cluster of exactly the limit is allowed
MOST_PACKED: Final = 1_000  # shapes packed by hand; the search takes in the others


def together(objective: Objective) -> NDArray[np.float64]:
    """Share of the log that constrains both attributes, by pair.

    Shapes: float64 (c, c), symmetric; the diagonal is what constrains one at all.
    """
    bits = np.arange(len(objective.cells))
    active = (objective.masks[:, None] >> bits & 1).astype(np.float64)
    shared: NDArray[np.float64] = active.T @ (active * objective.share[:, None])
    return shared


def balanced(objective: Objective, count: int) -> tuple[int, ...]:
    """About ``count`` disjoint clusters that hold every attribute once.

    Attributes join by how often they are asked together (average linkage), and no
    cluster grows much beyond its part of the whole, nor beyond ``max_atoms``. Without
    attributes there is one cluster of one atom.
    """
    clusters = [1 << j for j in range(len(objective.cells))]
    size = np.log(objective.cells)
    limit = size.sum() / count + size.max(initial=0.0) / 2
    limit = min(limit, math.log(objective.terms.max_atoms)) + ROUNDING
    shared = together(objective)
    members = np.ones(len(clusters))
    while (
        pair := _closest(shared / np.outer(members, members), size, limit)
    ) is not None:
        i, j = pair
        clusters[i] |= clusters.pop(j)
        shared[i] += shared[j]
        shared[:, i] += shared[:, j]
        shared = np.delete(np.delete(shared, j, 0), j, 1)
        size[i] += size[j]
        members[i] += members[j]
        size, members = np.delete(size, j), np.delete(members, j)
    return tuple(clusters) or (0,)


def _closest(
    average: NDArray[np.float64], size: NDArray[np.float64], limit: float
) -> tuple[int, int] | None:
    """The pair i < j that is asked together most and may join; None when none may."""
    may = np.triu(size[:, None] + size <= limit, k=1) & (average > 0)
    if not may.any():
        return None
    i, j = divmod(int(np.where(may, average, -1.0).argmax()), len(size))
    return i, j


def packed(objective: Objective, limit: float) -> tuple[int, ...]:
    """Clusters of at most ``limit`` atoms that hold as many shapes as have room.

    Shapes come by what they would draw from the ledger, dearest first; each widens
    the cluster that grows least by it.
    """
    clusters: list[int] = []
    sizes: list[float] = []
    order = np.lexsort((objective.masks, -objective.share, -objective.charge))
    for mask in objective.masks[order[:MOST_PACKED]].tolist():
        if any(mask & ~cluster == 0 for cluster in clusters):
            continue
        wider = [objective.volume(cluster | mask) for cluster in (*clusters, 0)]
        growth, k = min(
            (volume - size if volume <= limit else math.inf, k)
            for k, (volume, size) in enumerate(zip(wider, (*sizes, 0.0), strict=True))
        )
        if k < objective.most and sum(sizes) + growth <= objective.room:
            clusters[k : k + 1] = [clusters[k] | mask if k < len(clusters) else mask]
            sizes[k : k + 1] = [wider[k]]
    return tuple(clusters)
