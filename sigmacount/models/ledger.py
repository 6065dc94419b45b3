"""Ledger: what has been spent, once per charge id, and no more than the limits.

The ledger is a value. ``charge`` returns the next ledger and leaves this one as it
was, so a refusal cannot have half happened. The script that charges the shared
ledger is held to this class by a contract test, reply for reply.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Self

from sigmacount.accounting import (
    MOST_UNITS,
    NOTE_PURPOSES,
    PURPOSES,
    Charge,
    Entry,
    Purpose,
    chain,
    first_hash,
    follows,
    intact,
)
from sigmacount.errors import (
    BudgetExhausted,
    ChargeConflict,
    MeasureMismatch,
    MeasurePinned,
)
from sigmacount.mechanisms import Measure
from sigmacount.models.journal import Journal, JournalLine


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Every charge to one dataset, and what its limits leave.

    Units: whole units of ``measure``: µε for epsilon, pico-ρ for rho.

    Attributes:
        dataset: whose rows are paid for.
        limit: ε_budget (Definition 4).
        caps: at most this much for a purpose; no entry, no cap.
        client_quota: at most this much for each client, or None.
        measure: what it is kept in, for as long as the dataset lives.
    """

    dataset: str
    limit: int
    caps: Mapping[Purpose, int] = field(default_factory=dict)
    client_quota: int | None = None
    measure: Measure = Measure.EPSILON
    _journal: Journal = field(default_factory=Journal, repr=False)
    _length: int = 0

    def __post_init__(self) -> None:
        quota = 0 if self.client_quota is None else self.client_quota
        limits = (self.limit, quota, *self.caps.values())
        if not all(0 <= limit <= MOST_UNITS for limit in limits):
            msg = "limits must lie in [0, 2^53) units"
            raise ValueError(msg)
        object.__setattr__(self, "caps", MappingProxyType(dict(self.caps)))

    @property
    def spent(self) -> int:
        """All that was charged."""
        return self._journal.lines[self._length - 1].spent if self._length else 0

    @property
    def left(self) -> int:
        """What the dataset may still spend."""
        return self.limit - self.spent

    @property
    def repeated(self) -> int:
        """Y: noise shown again in later epochs, summed."""
        return self._journal.lines[self._length - 1].repeated if self._length else 0

    @property
    def surcharged(self) -> int:
        """What was paid for showing noise again, whatever the purpose."""
        return self._journal.lines[self._length - 1].surcharged if self._length else 0

    @property
    def head(self) -> str:
        """Hash of the last line; it vouches for every line before it."""
        if self._length:
            return self._journal.lines[self._length - 1].entry.hash
        return first_hash(self.dataset)

    def spent_on(self, purpose: Purpose) -> int:
        """What was charged for one purpose."""
        if not self._length:
            return 0
        return self._journal.lines[self._length - 1].on.get(purpose, 0)

    def spent_by(self, client: str) -> int:
        """What was charged to one client's quota."""
        line = self._last_of(client)
        return 0 if line is None else self._journal.lines[line].by_client

    def entry(self, charge_id: str) -> Entry | None:
        """The line that granted this act, or None when nothing did."""
        at = self._journal.position.get(charge_id)
        if at is None or at >= self._length:
            return None
        return self._journal.lines[at].entry

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Entry]:
        return (self._journal.lines[at].entry for at in range(self._length))

    def verify(self) -> bool:
        """Whether the chain of lines is intact."""
        return intact(self.dataset, self)

    def opened(
        self,
        limit: int,
        caps: Mapping[Purpose, int] | None = None,
        client_quota: int | None = None,
        measure: Measure = Measure.EPSILON,
    ) -> Self:
        """The ledger with these limits; what was spent before stays spent.

        Raises:
            MeasurePinned: it is kept in another measure; the operator takes that one.
        """
        if measure is not self.measure:
            raise MeasurePinned(self.dataset, self.measure.value, measure.value)
        caps = {} if caps is None else caps
        return replace(self, limit=limit, caps=caps, client_quota=client_quota)

    def charge(self, charge: Charge, at_ms: int | None = None) -> Self:
        """The ledger after ``charge``; this very ledger if it was granted before.

        Limits are looked at in the order dataset, purpose, client. ``at_ms`` is the
        moment, which the line keeps (milliseconds since 1970).

        Raises:
            BudgetExhausted: a limit would be passed; the caller does without.
            ChargeConflict: the id paid for something else; the caller has a bug.
            MeasureMismatch: the ledger is of another measure; the caller says what
                the charge counts as in it.
        """
        if charge.measure_conflicts(self.measure):
            raise MeasureMismatch(charge.measure.value, self.measure.value)
        earlier = self.entry(charge.charge_id)
        if earlier is not None:
            if earlier.charge.repeated_by(charge):
                return self
            raise ChargeConflict(charge.charge_id)
        for limit, left in self._limits(charge):
            if charge.asked > left:
                raise BudgetExhausted(limit, charge.asked, left)
        entry = chain(self.head, charge, at_ms)
        return self._with(self._journal.append(self._length, self._next(entry)))

    def restore(self, entries: Iterable[Entry]) -> Self:
        """The ledger with these lines after its own, whatever its limits say.

        They were granted once, so they are not weighed again.

        Raises:
            ValueError: they do not continue this ledger's chain, or an id is there
                already; nothing is restored.
            MeasurePinned: they are of another measure; the same.
        """
        restored, lines = self, list(entries)
        ids = [line.charge.charge_id for line in (*self, *lines)]
        if not follows(self.head, lines) or len(set(ids)) < len(ids):
            msg = "these lines do not continue the ledger's chain"
            raise ValueError(msg)
        for line in lines:
            if line.charge.measure_conflicts(self.measure):
                theirs = line.charge.measure.value
                raise MeasurePinned(self.dataset, self.measure.value, theirs)
            at, journal = restored._length, restored._journal
            restored = restored._with(journal.append(at, restored._next(line)))
        return restored

    def _limits(self, charge: Charge) -> Iterator[tuple[str, int]]:
        """Every limit that the charge touches, and what it leaves."""
        if charge.purpose in NOTE_PURPOSES:
            return
        yield f"dataset {self.dataset!r}", self.left
        cap = self.caps.get(charge.purpose)
        if cap is not None:
            left = cap - self.spent_on(charge.purpose)
            yield f"purpose {charge.purpose!r}", left
        if self.client_quota is not None and charge.client is not None:
            left = self.client_quota - self.spent_by(charge.client)
            yield f"client {charge.client!r}", left

    def _next(self, entry: Entry) -> JournalLine:
        """The line with the totals after it."""
        charge = entry.charge
        client, before = charge.client, None
        on = {purpose: self.spent_on(purpose) for purpose in PURPOSES}
        if charge.purpose in on:
            on[charge.purpose] += charge.asked
        by_client = 0
        if client is not None:
            before = self._last_of(client)
            by_client = self.spent_by(client) + charge.asked
        return JournalLine(
            entry=entry,
            spent=self.spent + charge.asked,
            repeated=self.repeated + charge.repeats,
            surcharged=self.surcharged + (charge.asked if charge.repeats else 0),
            on=on,
            by_client=by_client,
            client_before=before,
        )

    def _last_of(self, client: str) -> int | None:
        """The client's last line that this ledger sees."""
        at = self._journal.last.get(client)
        while at is not None and at >= self._length:
            at = self._journal.lines[at].client_before
        return at

    def _with(self, journal: Journal) -> Self:
        return replace(self, _journal=journal, _length=self._length + 1)
