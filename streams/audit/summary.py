"""A summary of the trail: what its messages come to, up to one that is named.

Whoever starts reads what came behind that message, if the topic still holds it there.
A summary is as old as the store that keeps it: what came later is in the topic, so a
store that went back is noticed as if all of it had been read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from sigmacount.accounting import Entry
from sigmacount.models import NoiseName
from streams.audit.trail import LastTick, Trail

MOST_SUMMED: Final = 100_000  # names of noise: some 20 MB; beyond it all is read


class TrailMark(msgspec.Struct, frozen=True):
    """A message of the topic: where it is, and the SHA-256 of what it says."""

    offset: int
    digest: str


class TrailSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a trail came to with the message at its mark.

    Its lines are not in it: ``head`` vouches for the first ``length`` of the store's.
    Nor is noise that no epoch may show any more, but for the first of each unit.

    Attributes:
        mark: the last message that was taken.
        noises: name → commitment, the first epoch that showed it, the last that may.
        ticks: name → its newest tick, the first epoch that showed one of them, and when
            it ticked last.
        lost: unit, generation, and how often its noise was lost.
    """

    dataset: str
    mark: TrailMark
    length: int
    head: str
    token: int
    served: int
    epoch: int
    noises: dict[str, tuple[str, int, int | None]]
    ticks: dict[str, tuple[LastTick, int, int]]
    lost: list[tuple[str, int, int]]

    @classmethod
    def of(cls, trail: Trail, mark: TrailMark) -> TrailSummary | None:
        """None where it would be too large, or the trail contradicts itself."""
        lines = trail.entries()
        kept = _needed(trail)
        if lines is None or len(kept) + len(trail.ticks) > MOST_SUMMED:
            return None
        said, first = trail.commitments, trail.first
        noises = {str(n): (said[n], first[n], trail.until.get(n)) for n in kept}
        ticks = {
            str(name): (last, first[name], trail.told[name])
            for name, last in trail.ticks.items()
        }
        lost = [(unit, gen, times) for (unit, gen), times in trail.lost.items()]
        return cls(
            dataset=trail.dataset,
            mark=mark,
            length=trail.length,
            head=lines[-1].hash if lines else "",
            token=trail.token,
            served=trail.served,
            epoch=trail.epoch,
            noises=noises,
            ticks=ticks,
            lost=lost,
        )

    def resumed(self, dataset: str, entries: Sequence[Entry]) -> Trail | None:
        """The trail as it was; None where the store's lines are not those of then."""
        lines = entries[: self.length]
        head = lines[-1].hash if lines else ""
        if (self.dataset, self.length, self.head) != (dataset, len(lines), head):
            return None
        trail = Trail(dataset, dict(enumerate(lines, 1)))
        trail.length, trail.token = self.length, self.token
        trail.served, trail.epoch = self.served, self.epoch
        for text, (figure, first, until) in self.noises.items():
            name = NoiseName.parse(text)
            trail.commitments[name], trail.first[name] = figure, first
            if until is not None:
                trail.until[name] = until
        for text, (last, first, told) in self.ticks.items():
            name = NoiseName.parse(text)
            trail.ticks[name], trail.first[name] = last, first
            trail.told[name] = told
        trail.lost = {(unit, gen): times for unit, gen, times in self.lost}
        return trail


def _needed(trail: Trail) -> list[NoiseName]:
    """Noise that may be shown again, or says since when its unit is shown."""
    begun: dict[str, int] = {}
    for name, epoch in trail.first.items():
        begun[name.unit] = min(epoch, begun.get(name.unit, epoch))
    return [
        name
        for name in trail.commitments
        if trail.until.get(name, math.inf) > trail.epoch
        or trail.first[name] == begun[name.unit]
    ]
