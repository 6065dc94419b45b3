"""Choice: clusters of attributes, each kind of query answered by the cheapest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import PAPER
from sigmacount.planner.objective import Objective

ROUNDS: Final = 8  # of assignment and split, taken in turns, when a choice is new
EXPONENT: Final = 1 / 3  # a cluster x times larger asks about x^{1/3} times the price


class ClusterChange(NamedTuple):
    """One cluster less, one more, or one in place of another."""

    drop: int | None
    add: int | None
    like: int  # the cluster whose price tells what the new one may ask


class Ranking(NamedTuple):
    """The cheapest and second cheapest home of every shape; K stands for no cluster."""

    first: NDArray[np.intp]
    price: NDArray[np.float64]
    second: NDArray[np.intp]
    next_price: NDArray[np.float64]


class Trial(NamedTuple):
    """What a change would cost, and load and volume of every home: K + 2 of them."""

    score: float
    load: NDArray[np.float64]
    volume: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """K clusters, their prices, and where every shape goes.

    Shapes:
        holds   bool (K, N)    whether the cluster answers the shape
        volume  float64 (K,)   |Ω_S|
        price   float64 (K,)   what the cluster asks for a fraction of 1 (rows²)
        load    float64 (K,)   Σ fraction of the shapes it answers

    Attributes:
        clusters: masks of attributes.
        score: what it costs; lower is better.
    """

    objective: Objective
    clusters: tuple[int, ...]
    holds: NDArray[np.bool_]
    volume: NDArray[np.float64]
    price: NDArray[np.float64]
    load: NDArray[np.float64]
    ranking: Ranking
    score: float

    @staticmethod
    def of(objective: Objective, clusters: Sequence[int]) -> Choice:
        """These clusters, each shape assigned and the ε split, taken in turns."""
        chosen = tuple(dict.fromkeys(clusters))
        held = [objective.holds(mask) for mask in chosen]
        holds = np.array(held, np.bool_).reshape(len(chosen), len(objective.masks))
        volume = np.array([objective.volume(mask) for mask in chosen], np.float64)
        spread = _prices_paid(objective, volume).sum() / objective.epsilon
        alike = _ranked(objective, holds, 2 * volume * spread**2)  # one ε for all
        load = _added(objective, alike.first, len(chosen))
        choice = _settled(objective, chosen, holds, volume, load)
        for _ in range(ROUNDS):
            choice = choice.settled()
        return choice

    @property
    def atoms(self) -> float:
        """Σ |Ω_S|."""
        return float(self.volume.sum())

    @property
    def errors(self) -> NDArray[np.float64]:
        """W_S of every cluster: atoms summed per query of the log."""
        return self.volume * self.load

    def settled(self) -> Choice:
        """ε split by what every cluster answers, and shapes assigned anew."""
        return _settled(
            self.objective, self.clusters, self.holds, self.volume, self.load
        )

    def trial(self, change: ClusterChange) -> Trial:
        """The change made, other prices as they are: an upper bound of its score.

        Shapes that the change does not touch stay where they are.
        """
        first, price, second, next_price = self.ranking
        drop, add, like = change
        none, new = len(self.clusters), len(self.clusters) + 1
        home = first if drop is None else np.where(first == drop, second, first)
        volume = 0.0
        if add is not None:
            volume = self.objective.volume(add)
            ratio = volume / float(self.volume[like])
            asked = float(self.price[like]) * ratio**EXPONENT
            best = price if drop is None else np.where(first == drop, next_price, price)
            home = np.where(self.objective.holds(add) & (asked < best), new, home)
        load = _added(self.objective, home, new + 1)
        volumes = np.append(self.volume, (0.0, volume))
        alone = np.flatnonzero(home == none) if load[none] else ()
        return Trial(_score(self.objective, volumes, load, alone), load, volumes)

    def changed(self, change: ClusterChange, trial: Trial) -> Choice:
        """The clusters after a change that was tried: ε split, shapes assigned anew."""
        add = () if change.add is None else (change.add,)
        rows = [self.holds, *[self.objective.holds(mask)[None] for mask in add]]
        each = [*range(len(self.clusters)), *[len(self.clusters) + 1 for _ in add]]
        return _settled(
            self.objective,
            (*self.clusters, *add),
            np.concatenate(rows),
            trial.volume[each],
            trial.load[each],
        )


def _settled(
    objective: Objective,
    clusters: tuple[int, ...],
    holds: NDArray[np.bool_],
    volume: NDArray[np.float64],
    load: NDArray[np.float64],
) -> Choice:
    """ε split by the loads, then shapes to the cheapest cluster; idle clusters go."""
    busy = load > 0
    if not busy.all():
        clusters = tuple(t for t, b in zip(clusters, busy, strict=True) if b)
        holds, volume, load = holds[busy], volume[busy], load[busy]
    roots = _roots(objective, volume, load)
    price = 2 * (roots.sum() / objective.epsilon) ** 2 * roots / load
    ranking = _ranked(objective, holds, price)
    load = _added(objective, ranking.first, len(clusters) + 1)
    alone = np.flatnonzero(ranking.first == len(clusters))
    score = _score(objective, np.append(volume, 0.0), load, alone)
    return Choice(objective, clusters, holds, volume, price, load[:-1], ranking, score)


def _ranked(
    objective: Objective, holds: NDArray[np.bool_], price: NDArray[np.float64]
) -> Ranking:
    """The two cheapest homes of every shape, no cluster being one of them."""
    none = len(price)
    first = np.full(holds.shape[1], none, np.intp)
    second = first.copy()
    dearest_first = np.argsort(-price, kind="stable").tolist()
    for k in dearest_first:  # so that the cheapest has its say last
        np.copyto(second, first, where=holds[k])
        np.copyto(first, k, where=holds[k])
    asked = np.append(price, np.inf)
    lowest, runner_up, alone = asked[first], asked[second], objective.threshold
    second = np.where(alone < lowest, first, np.where(alone < runner_up, none, second))
    first = np.where(alone < lowest, none, first)
    return Ranking(
        first,
        np.where(first == none, alone, asked[first]),
        second,
        np.where(second == none, alone, asked[second]),
    )


def _score(
    objective: Objective,
    volume: NDArray[np.float64],
    load: NDArray[np.float64],
    alone: NDArray[np.intp] | tuple[()],
) -> float:
    """Score of loads on clusters, and of the shapes that no new cluster answers."""
    total = float(_roots(objective, volume, load).sum())
    error = 2 * total**3 / objective.epsilon**2
    charge = 0.0
    if len(alone):
        error += float(objective.otherwise[alone].sum())
        charge = float(objective.charge[alone].sum())
    return objective.terms.burden(error, charge)


def _added(
    objective: Objective, home: NDArray[np.intp], length: int
) -> NDArray[np.float64]:
    """Σ fraction of the shapes at each home; homes beyond ``length`` are cut off."""
    load = np.bincount(home, objective.fraction, length)
    return load[:length].astype(np.float64, copy=False)


def _roots(
    objective: Objective, volume: NDArray[np.float64], load: NDArray[np.float64]
) -> NDArray[np.float64]:
    """x_S = (W_S n_S²)^{1/3}."""
    return np.cbrt(volume * load * _prices_paid(objective, volume) ** 2)


def _prices_paid(
    objective: Objective, volume: NDArray[np.float64]
) -> NDArray[np.float64]:
    """n_S: cost of the cluster at ε_S = 1."""
    return volume if objective.terms.rule is PAPER else np.ones_like(volume)
