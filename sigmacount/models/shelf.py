"""Shelf: released counts as readers see them: the epoch served, the one before.

The pure model of ``store/lua/publish.lua``, ``freeze.lua`` and ``memo_put.lua``; and
how long the numbers of an epoch stay for those who ask what changed since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from sigmacount.errors import Superseded
from sigmacount.models.lease import Fence


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """How much is kept of epochs that were served; what is older goes.

    Attributes:
        most_epochs: before the one that is served; 0: nothing is kept.
        most_bytes: that their unprocessed numbers take up together.
    """

    most_epochs: int = 0
    most_bytes: int = 0

    def kept(self, sizes: Mapping[int, int]) -> frozenset[int]:
        """Which epochs stay, of these with so many bytes; the newest is served.

        That one has its numbers on the shelf as it is. Of the others the newest stay,
        and none that is older than one that goes.
        """
        if not self.most_epochs:
            return frozenset()
        newest, *before = sorted(sizes, reverse=True)
        together = accumulate(sizes[epoch] for epoch in before[: self.most_epochs])
        fitting = sum(size <= self.most_bytes for size in together)
        return frozenset([newest, *before[:fitting]])


NO_HISTORY: Final = HistoryLimits()


@dataclass(frozen=True, slots=True)
class PastArrays:
    """The unprocessed numbers of an epoch: their names, and the bytes they take up."""

    names: frozenset[str]
    size: int


@dataclass(frozen=True, slots=True)
class Shelf:
    """What readers may take; it only moves forwards.

    Attributes:
        epoch: of the head, or None before the first.
        arrays: epoch → names of its arrays, for the head and the epoch before.
        frozen: why no epoch follows, or None.
        memos: epoch → canonical query → answer, for the same two.
        past: epoch → its unprocessed numbers, of the head and of those before it.
        fence: older curators change nothing here.
    """

    epoch: int | None = None
    arrays: Mapping[int, frozenset[str]] = field(default_factory=dict)
    frozen: str | None = None
    memos: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    past: Mapping[int, PastArrays] = field(default_factory=dict)
    fence: Fence = field(default_factory=Fence)

    def publish(
        self,
        token: int,
        epoch: int,
        arrays: frozenset[str],
        size: int = 0,
        limits: HistoryLimits = NO_HISTORY,
    ) -> Shelf:
        """The shelf with a new head; the epoch before the last is dropped.

        Its unprocessed numbers stay as long as ``limits`` say; those of the new head
        have ``size`` bytes.

        Raises:
            Fenced: a newer curator was here; nothing changed.
            Superseded: the head is not below ``epoch``; nothing changed.
        """
        fence = self.fence.admit(token)
        if self.epoch is not None and epoch <= self.epoch:
            raise Superseded(epoch, self.epoch)
        kept = {} if self.epoch is None else {self.epoch: self.arrays[self.epoch]}
        past = {**self.past, epoch: PastArrays(arrays, size)}
        stays = limits.kept({e: each.size for e, each in past.items()})
        return Shelf(
            epoch=epoch,
            arrays=MappingProxyType(kept | {epoch: arrays}),
            memos=MappingProxyType({e: m for e, m in self.memos.items() if e in kept}),
            past=MappingProxyType({e: p for e, p in past.items() if e in stays}),
            fence=fence,
        )

    def freeze(self, token: int, epoch: int, reason: str | None) -> Shelf:
        """The shelf whose head says why nothing follows (None: something may).

        Raises:
            Fenced: a newer curator was here; nothing changed.
            Superseded: the head is another epoch; nothing changed.
        """
        return replace(self, fence=self._admit(token, epoch), frozen=reason)

    def remember(self, token: int, epoch: int, answers: Mapping[str, str]) -> Shelf:
        """The shelf that keeps these answers, in place of earlier ones of the same.

        Raises:
            Fenced: a newer curator was here; nothing changed.
            Superseded: the head is another epoch; the answers are not served.
        """
        fence = self._admit(token, epoch)
        kept = dict(self.memos.get(epoch, {})) | dict(answers)
        memos = dict(self.memos) | {epoch: MappingProxyType(kept)}
        return replace(self, fence=fence, memos=MappingProxyType(memos))

    def _admit(self, token: int, epoch: int) -> Fence:
        fence = self.fence.admit(token)
        if epoch != self.epoch:
            raise Superseded(epoch, self.epoch)
        return fence
