"""The trail: what the topic `ledger` says was charged, bound and shown, all in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Self

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
    TicksCommitted,
)


class LastTick(NamedTuple):
    """The newest tick of a unit that was bound: its number, its epoch, and what binds.

    Two of one number are never the same noise, whatever else is.
    """

    tick: int
    epoch: int
    commitment: str


@dataclass(slots=True)
class Trail:
    """Messages, summed up; a message that is repeated changes nothing.

    Attributes:
        dataset: whose budget it is.
        lines: number of the line → line of the ledger.
        forks: numbers of which there are two different lines.
        commitments: name of a noise → what binds it; the first one stays.
        ticks: name of a noise → its newest tick; of two of one number the first stays.
        told: name of a noise → when it ticked last, milliseconds since 1970.
        first: name of a noise → the first epoch that showed it.
        until: name of a noise → the last epoch that may show it, where that is said.
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
    ticks: dict[NoiseName, LastTick] = field(default_factory=dict)
    told: dict[NoiseName, int] = field(default_factory=dict)
    first: dict[NoiseName, int] = field(default_factory=dict)
    until: dict[NoiseName, int] = field(default_factory=dict)
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
        trail.note(events)
        return trail

    def note(self, events: Iterable[AnyAuditEvent]) -> None:
        """More messages; one that means nothing changes nothing."""
        for event in events:
            with suppress(ValueError):
                self.take(event)

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
                if event.until is not None:
                    self.until[name] = event.until
                self._shown(name, event.epoch)
            case TicksCommitted():
                self._ticked(event)
            case EpochAnnounced():
                self.epoch = max(self.epoch, event.epoch)
            case NoiseLost():
                self._lost(NoiseName.parse(event.noise), unasked=event.unasked)

    def _ticked(self, event: TicksCommitted) -> None:
        for each in event.bound:
            name = NoiseName.parse(each.noise)
            known = self.ticks.get(name)
            if known is None or known.tick < each.tick:
                self.ticks[name] = LastTick(each.tick, event.epoch, each.commitment)
            self.told[name] = max(self.told.get(name, 0), event.at_ms or 0)
            self._shown(name, event.epoch)

    def _lost(self, name: NoiseName, *, unasked: bool) -> None:
        """What was put away is done with: of all that was bound only this is kept."""
        unit, generation, lost = name
        known = self.lost.get((unit, generation), 0)
        self.lost[unit, generation] = max(known, lost + 1)
        if unasked:
            for known_of in (self.ticks, self.told, self.first):
                known_of.pop(name, None)

    def _shown(self, name: NoiseName, epoch: int) -> None:
        self.first[name] = min(self.first.get(name, epoch), epoch)

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
            if unit in (name.unit, name.owner.unit) and name.owner.generation >= era
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

    def counting(self) -> dict[NoiseName, LastTick]:
        """The newest tick of every unit whose counters may go on."""
        return {n: last for n, last in self.ticks.items() if self.current(n)}

    def current(self, name: NoiseName) -> bool:
        """Neither it nor what it is a part of was lost."""
        return all(
            each.lost == self.lost.get((each.unit, each.generation), 0)
            for each in (name, name.owner)
        )

    def binding(self) -> dict[NoiseName, str]:
        """Commitments to noise that could be shown again.

        Where it is said until when, that decides. Else it is the newest of each unit:
        a rule never goes back to an older generation, so older noise is only kept.
        """
        newest: dict[str, NoiseName] = {}
        later = []
        for name in sorted(self.commitments):
            if not self.current(name):
                continue
            if name not in self.until:
                newest[name.unit] = name
            elif self.until[name] > self.epoch:
                later.append(name)
        return {name: self.commitments[name] for name in (*newest.values(), *later)}
