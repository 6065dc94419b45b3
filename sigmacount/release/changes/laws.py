"""Laws of what two epochs do not have in common: the noise of their difference."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sigmacount.continual import Horizon, LaplaceTree, NoiseWeights, horizon_for
from sigmacount.errors import InvalidPlan
from sigmacount.mechanisms import DiscreteLaplace, Mechanism
from sigmacount.release.ages import Ages, Aging, NoiseLaw, TreeLaw, counter_law

FEW_PAIRS = 1_024  # kept: units are of few ages


@dataclass(frozen=True, slots=True)
class RepeatedLaw:
    """Of the sum, or difference, of so many independent numbers of one law."""

    law: NoiseLaw
    times: int

    @property
    def variance(self) -> float:
        """See ``NoiseLaw``."""
        return self.times * self.law.variance

    @property
    def key(self) -> str:
        """That of the law, and how many."""
        return f"{self.times}x{self.law.key}"

    def quantile(self, terms: int, confidence: float) -> int:
        """See ``NoiseLaw``; it is the law that knows, as it is symmetric."""
        return self.law.quantile(terms * self.times, confidence)


@dataclass(frozen=True, slots=True)
class DrawnAnew:
    """An ``Aging``: every epoch has noise of its own, and a difference that of both."""

    def law(self, unit: str, mechanism: Mechanism) -> NoiseLaw:  # noqa: ARG002
        """Twice what the unit states."""
        return RepeatedLaw(mechanism, 2)


@dataclass(frozen=True, slots=True)
class TicksBetween:
    """An ``Aging``: the noise of counters between two epochs that show them.

    Σ_{j<t} (b_j − b_{j−w})² of a counter's draws are in the difference of its ticks t
    and t − w; of a tree, the blocks that are in one of the two alone.

    Attributes:
        then: the ticks of the earlier epoch.
        now: those of the later one, of the same horizon.
        renewed: units whose noise began anew in between: a difference has all of both.
    """

    then: Ages
    now: Ages
    renewed: Collection[str] = ()

    def law(self, unit: str, mechanism: Mechanism) -> NoiseLaw:
        """See ``Aging``: between the unit's own ticks.

        Raises:
            InvalidPlan: an epoch does not say at which tick it shows the unit, or the
                later one no later tick; the caller tells no change.
        """
        before, tick = (ages.ticks.get(unit, 0) for ages in (self.then, self.now))
        anew = unit in self.renewed
        if not (before and tick and (anew or before < tick)):
            msg = f"unit {unit} did not tick from one epoch to the other"
            raise InvalidPlan(msg)
        if isinstance(mechanism, DiscreteLaplace):
            tree = LaplaceTree.for_epochs(self.now.epochs)
            block = tree.noise(mechanism.price)
            return TreeLaw(block, _blocks_apart(tree, before, tick, anew=anew))
        horizon = horizon_for(self.now.epochs)
        squares = _squares_apart(horizon, before, tick, anew=anew)
        return counter_law(mechanism, horizon, squares)


class NoiseBetween(NamedTuple):
    """The noise of a plan's units at two epochs, and in the difference of both.

    Make one with ``ticks`` or ``drawn_anew``.
    """

    then: Aging | None
    now: Aging | None
    apart: Aging

    @staticmethod
    def ticks(
        epochs: int,
        then: Mapping[str, int],
        now: Mapping[str, int],
        began: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
    ) -> NoiseBetween:
        """Of counters or trees for so many epochs, by the ticks of the units.

        ``began``: the generations of the units then and now; ticks of two generations
        have no noise in common.

        Raises:
            InvalidPlan: as ``Ages``.
        """
        before, after = Ages(epochs, then), Ages(epochs, now)
        renewed = {u for u in then if began[0].get(u) != began[1].get(u)}
        return NoiseBetween(before, after, TicksBetween(before, after, renewed))

    @staticmethod
    def drawn_anew() -> NoiseBetween:
        """Where no two epochs share noise."""
        return NoiseBetween(None, None, DrawnAnew())


@lru_cache(maxsize=FEW_PAIRS)
def _squares_apart(horizon: Horizon, before: int, tick: int, *, anew: bool) -> float:
    weights = NoiseWeights.of(horizon)
    if anew:
        return weights.squares(before) + weights.squares(tick)
    return weights.squares_of_difference(tick, tick - before)


@lru_cache(maxsize=FEW_PAIRS)
def _blocks_apart(tree: LaplaceTree, before: int, tick: int, *, anew: bool) -> int:
    """How many blocks have another sign: no sign turns round, so each counts once.

    Of a tree that began anew none is the same.
    """
    then, now = tree.blocks(before), tree.blocks(tick)
    if anew:
        return len(then) + len(now)
    return len(then.items() ^ now.items())
