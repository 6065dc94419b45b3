"""Annealing: better clusters of attributes by small random changes, cooled down."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from sigmacount.planner.choice import Choice, ClusterChange

COLD: Final = 3e-4  # at last a change for the worse by 0.03 % is taken 1 time in e

Drawn = Sequence[float]  # of a uniform distribution on [0, 1)


def anneal(choice: Choice, tries: int, hot: float, rng: np.random.Generator) -> Choice:
    """The best choice met on a walk of so many tries from ``choice``.

    At first a change for the worse by the share ``hot`` is taken 1 time in e.

    Each try changes one or two attributes of a cluster, adds a variant or the common
    part of two, joins two, lets a cluster take in a shape, or drops one.
    """
    best = here = choice
    drawn = rng.random((tries, 6)).tolist()
    for turn in range(tries if choice.clusters and len(choice.objective.cells) else 0):
        change = _proposed(here, drawn[turn])
        if not _fits(here, change):
            continue
        trial = here.trial(change)
        heat = hot * (COLD / hot) ** (turn / tries)
        if drawn[turn][5] < _odds(here.score, trial.score, heat):
            there = here.changed(change, trial)
            best = min(best, there, key=lambda c: c.score)
            here = there if there.clusters else here  # without clusters no walk goes on
    return min(best, Choice.of(best.objective, best.clusters), key=lambda c: c.score)


def _odds(now: float, then: float, heat: float) -> float:
    """Chance to take a change: 1 for the better, less the worse it is."""
    return 1.0 if then < now else math.exp(max(-700.0, (now - then) / (now * heat)))


def _fits(here: Choice, change: ClusterChange) -> bool:
    """Whether the change stays within the atoms allowed, and is new."""
    if change.add is None:
        return True
    terms = here.objective.terms
    volume = here.objective.volume(change.add)
    gone = 0.0 if change.drop is None else float(here.volume[change.drop])
    small = volume <= terms.max_atoms
    return (
        small
        and here.atoms - gone + volume <= here.objective.room
        and (change.drop is not None or len(here.clusters) < here.objective.most)
        and change.add not in here.clusters
    )


def _proposed(here: Choice, drawn: Drawn) -> ClusterChange:
    """A change, drawn at random: how often each kind is tried stands in MOVES."""
    kind = bisect.bisect([upto for upto, _ in MOVES], drawn[1])
    return MOVES[kind][1](here, int(drawn[0] * len(here.clusters)), drawn[2:5])


def _flip(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """One attribute joins or leaves a cluster."""
    return ClusterChange(one, here.clusters[one] ^ _bits(here, drawn[:1]), one)


def _swap(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """Two attributes do: often one leaves and one joins."""
    return ClusterChange(one, here.clusters[one] ^ _bits(here, drawn[:2]), one)


def _vary(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """A new cluster, up to three attributes away from another."""
    return ClusterChange(None, here.clusters[one] ^ _bits(here, drawn), one)


def _share(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """A new cluster of what two have in common."""
    other = here.clusters[int(drawn[0] * len(here.clusters))]
    return ClusterChange(None, here.clusters[one] & other, one)


def _join(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """A cluster takes in another, which is left idle if it is not needed."""
    other = here.clusters[int(drawn[0] * len(here.clusters))]
    return ClusterChange(one, here.clusters[one] | other, one)


def _leave(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """A cluster goes; its shapes find another."""
    del here, drawn
    return ClusterChange(one, None, one)


def _take_in(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """A cluster grows until it holds a shape."""
    return ClusterChange(one, here.clusters[one] | _shape(here, drawn[0]), one)


def _found(here: Choice, one: int, drawn: Drawn) -> ClusterChange:
    """A new cluster for a shape alone."""
    return ClusterChange(None, _shape(here, drawn[0]), one)


MOVES: Final = (
    (0.45, _flip),
    (0.60, _swap),
    (0.75, _vary),
    (0.80, _share),
    (0.85, _join),
    (0.90, _leave),
    (0.95, _take_in),
    (1.00, _found),
)


def _bits(here: Choice, drawn: Drawn) -> int:
    """Attributes drawn at random; one that is drawn twice is not there."""
    width = len(here.objective.cells)
    mask = 0
    for each in drawn:
        mask ^= 1 << int(each * width)
    return mask


def _shape(here: Choice, drawn: float) -> int:
    """Active attributes of a shape: of one that is fresh, as long as there are any."""
    lost = np.flatnonzero(here.ranking.first == len(here.clusters))
    among = lost if len(lost) else np.arange(len(here.objective.masks))
    return int(here.objective.masks[among[int(drawn * len(among))]])
