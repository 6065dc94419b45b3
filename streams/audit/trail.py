"""The trail: what the topic `ledger` says was charged, bound and shown, all in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from sigmacount.accounting import Entry, intact
from sigmacount.models import NoiseName
from streams.audit.lines import line_of
from streams.wire.messages.audit_events import (
    AnyAuditEvent,
    ChargeGranted,
    EpochAnnounced,
    NoiseCommitted,
    NoiseLost,
    StoreRestored,
)


@dataclass(slots=True)
class Trail:
    """Messages, summed up; a message that is repeated changes nothing.

    Attributes:
        dataset: whose budget it is.
        lines: number of the line → line of the ledger.
        forks: numbers of which there are two different lines.
        commitments: name of a noise → what binds it; the first one stays.
        first: name of a noise → the first epoch that showed it.
        lost: (unit, generation) → how often its noise was lost.
        token: the newest token of a curator that wrote here.
        served: the epoch that readers were surely served, since the last restoration.
        epoch: the highest number that an epoch ever had, or was about to have.
        length: the number of the last line; 0 before the first.
    """

    dataset: str
    lines: dict[int, Entry] = field(default_factory=dict)
    forks: set[int] = field(default_factory=set)
    commitments: dict[NoiseName, str] = field(default_factory=dict)
    first: dict[NoiseName, int] = field(default_factory=dict)
    lost: dict[tuple[str, int], int] = field(default_factory=dict)
    token: int = 0
    served: int = 0
    epoch: int = 0
    length: int = 0

    @classmethod
    def of(cls, dataset: str, events: Iterable[AnyAuditEvent]) -> Self:
        """What these messages, oldest first, come to.

        One that means nothing (no curator of ours wrote it) changes nothing.
        """
        trail = cls(dataset)
        for event in events:
            with suppress(ValueError):
                trail.take(event)
        return trail

    def take(self, event: AnyAuditEvent) -> None:
        """One more message.

        Raises:
            ValueError: it names no noise, or no charge that could be granted.
        """
        self._what(event)
        self.token = max(self.token, event.token)
        self.served = max(self.served, event.served)
        self.epoch = max(self.epoch, event.served)
        if isinstance(event, StoreRestored):
            self.served = event.served

    def _what(self, event: AnyAuditEvent) -> None:
        match event:
            case ChargeGranted():
                self._line(event.length, line_of(event))
            case NoiseCommitted():
                name = NoiseName.parse(event.noise)
                self.commitments.setdefault(name, event.commitment)
                earliest = min(self.first.get(name, event.epoch), event.epoch)
                self.first[name] = earliest
            case EpochAnnounced():
                self.epoch = max(self.epoch, event.epoch)
            case NoiseLost():
                unit, generation, lost = NoiseName.parse(event.noise)
                known = self.lost.get((unit, generation), 0)
                self.lost[unit, generation] = max(known, lost + 1)

    def _line(self, number: int, entry: Entry) -> None:
        if number < 1:
            msg = "the first line has number 1"
            raise ValueError(msg)
        if self.lines.setdefault(number, entry) != entry:
            self.forks.add(number)
        self.length = max(self.length, number)

    def first_of(self, unit: str, era: int) -> int | None:
        """The first epoch that showed a unit since ``era``, or None.

        COST: every noise that was ever bound is looked at.
        """
        epochs = [
            epoch
            for name, epoch in self.first.items()
            if name.unit == unit and name.generation >= era
        ]
        return min(epochs, default=None)

    def entries(self) -> list[Entry] | None:
        """Every line in order; None when one is missing, forked, or not chained."""
        lines = [self.lines[n] for n in sorted(self.lines)]
        whole = len(lines) == self.length and not self.forks
        return lines if whole and intact(self.dataset, lines) else None

    def lacks(self, entries: Sequence[Entry]) -> list[int]:
        """Numbers of the store's lines that no message holds."""
        return [n for n in range(1, len(entries) + 1) if n not in self.lines]

    def ahead_of(self, entries: Sequence[Entry], epoch: int, token: int) -> str | None:
        """In what a store is behind this trail, or None when it is not.

        ``entries``, ``epoch`` and ``token`` are the store's lines, the epoch it serves
        (0 for none) and the newest token of its curators.
        """
        other = [n for n, line in self.lines.items() if entries[n - 1 : n] != [line]]
        short = [n for n in other if n > len(entries)]
        if self.forks:
            return f"the topic has two different lines {min(self.forks):,}"
        if short:
            return f"its ledger holds {len(entries):,} of {self.length:,} charges"
        if other:
            return f"line {min(other):,} of its ledger is not the one that was shown"
        if epoch < self.served:
            return f"it serves epoch {epoch:,}, readers had epoch {self.served:,}"
        if token < self.token:
            return f"its lease is at token {token:,}, a curator had {self.token:,}"
        return None

    def binding(self) -> dict[NoiseName, str]:
        """Commitments to noise that could be shown again: the newest of each unit.

        A rule never goes back to an older generation, so older noise is only kept.
        """
        newest: dict[str, NoiseName] = {}
        for name in sorted(self.commitments):
            if name.lost == self.lost.get((name.unit, name.generation), 0):
                newest[name.unit] = name
        return {name: self.commitments[name] for name in newest.values()}
