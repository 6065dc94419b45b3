"""Shelf: released counts as readers see them: the epoch served, the one before.

The pure model of ``store/lua/publish.lua``, ``freeze.lua`` and ``memo_put.lua``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sigmacount.errors import Superseded
from sigmacount.models.lease import Fence


@dataclass(frozen=True, slots=True)
class Shelf:
    """What readers may take; it only moves forwards.

    Attributes:
        epoch: of the head, or None before the first.
        arrays: epoch → names of its arrays, for the head and the epoch before.
        frozen: why no epoch follows, or None.
        memos: epoch → canonical query → answer, for the same two.
        fence: older curators change nothing here.
    """

    epoch: int | None = None
    arrays: Mapping[int, frozenset[str]] = field(default_factory=dict)
    frozen: str | None = None
    memos: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    fence: Fence = field(default_factory=Fence)

    def publish(self, token: int, epoch: int, arrays: frozenset[str]) -> Shelf:
        """The shelf with a new head; the epoch before the last is dropped.

        Raises:
            Fenced: a newer curator was here; nothing changed.
            Superseded: the head is not below ``epoch``; nothing changed.
        """
        fence = self.fence.admit(token)
        if self.epoch is not None and epoch <= self.epoch:
            raise Superseded(epoch, self.epoch)
        kept = {} if self.epoch is None else {self.epoch: self.arrays[self.epoch]}
        return Shelf(
            epoch=epoch,
            arrays=MappingProxyType(kept | {epoch: arrays}),
            memos=MappingProxyType({e: m for e, m in self.memos.items() if e in kept}),
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
