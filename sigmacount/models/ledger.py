"""Ledger: what has been spent, once per charge id, and no more than the limits.

The ledger is a value. ``charge`` returns the next ledger and leaves this one as it
was, so a refusal cannot have half happened. The script that charges the shared
ledger is held to this class by a contract test, reply for reply.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from sigmacount.accounting import (
    NO_SURCHARGES,
    NOTE_PURPOSES,
    Charge,
    Entry,
    Purpose,
    SurchargeLimits,
    caps_of_purse,
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
from sigmacount.models.journal import Journal, JournalLine, PursePaid


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
        surcharges: limits of what a ledger of ρ pays for showing noise again; they are
            in µε, and none of it counts as spent. One of pure ε has no use for them.
    """

    dataset: str
    limit: int
    caps: Mapping[Purpose, int] = field(default_factory=dict)
    client_quota: int | None = None
    measure: Measure = Measure.EPSILON
    surcharges: SurchargeLimits = NO_SURCHARGES
    _journal: Journal = field(default_factory=Journal, repr=False)
    _length: int = 0

    def __post_init__(self) -> None:
        caps = caps_of_purse(self.limit, self.caps, self.client_quota)
        object.__setattr__(self, "caps", caps)

    @property
    def spent(self) -> int:
        """All that was charged, but for the purse of surcharges."""
        return self._paid().total

    @property
    def left(self) -> int:
        """What the dataset may still spend."""
        return self.limit - self.spent

    @property
    def repeated(self) -> int:
        """Y: noise shown again in later epochs, summed."""
        return 0 if self._last is None else self._last.repeated

    @property
    def surcharged(self) -> int:
        """What was paid for showing noise again, whatever the purpose (µε)."""
        return 0 if self._last is None else self._last.surcharged

    @property
    def head(self) -> str:
        """Hash of the last line; it vouches for every line before it."""
        return first_hash(self.dataset) if self._last is None else self._last.entry.hash

    def spent_on(self, purpose: Purpose, *, apart: bool = False) -> int:
        """What was charged for one purpose; ``apart``: by the purse of surcharges."""
        return self._paid(apart=apart).on.get(purpose, 0)

    def spent_by(self, client: str, *, apart: bool = False) -> int:
        """What was charged to one client's quota, or to the quota of surcharges."""
        at = self._last_of(client)
        if at is None:
            return 0
        line = self._journal.lines[at]
        return (line.apart if apart else line.own).by_client

    def left_for(self, charge: Charge) -> int:
        """What is left of the dataset's limit in the purse that ``charge`` is of."""
        if charge.apart_in(self.measure):
            return self.surcharges.limit - self.surcharged
        return self.left

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
        surcharges: SurchargeLimits = NO_SURCHARGES,
    ) -> Self:
        """The ledger with these limits; what was spent before stays spent.

        Raises:
            MeasurePinned: it is kept in another measure; the operator takes that one.
        """
        if measure is not self.measure:
            raise MeasurePinned(self.dataset, self.measure.value, measure.value)
        held = replace(self, limit=limit, caps=caps or {}, client_quota=client_quota)
        return replace(held, surcharges=surcharges)

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
                raise BudgetExhausted(limit, charge.asked, left, charge.measure.unit)
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
        apart = charge.apart_in(self.measure)
        of, limits = ("surcharges of ", self.surcharges) if apart else ("", self)
        yield f"{of}dataset {self.dataset!r}", self.left_for(charge)
        cap, quota = limits.caps.get(charge.purpose), limits.client_quota
        if cap is not None:
            left = cap - self.spent_on(charge.purpose, apart=apart)
            yield f"{of}purpose {charge.purpose!r}", left
        if quota is not None and charge.client is not None:
            left = quota - self.spent_by(charge.client, apart=apart)
            yield f"{of}client {charge.client!r}", left

    def _next(self, entry: Entry) -> JournalLine:
        """The line with the totals after it."""
        charge, client = entry.charge, entry.charge.client

        def after(*, apart: bool) -> PursePaid:
            of_it = charge.apart_in(self.measure) is apart
            by_client = 0 if client is None else self.spent_by(client, apart=apart)
            asked = charge.asked if of_it else 0
            return self._paid(apart=apart).after(charge.purpose, asked, by_client)

        return JournalLine(
            entry=entry,
            own=after(apart=False),
            apart=after(apart=True),
            repeated=self.repeated + charge.repeats,
            surcharged=self.surcharged + (charge.asked if charge.is_surcharge else 0),
            client_before=self._last_of(client) if client is not None else None,
        )

    def _paid(self, *, apart: bool = False) -> PursePaid:
        if self._last is None:
            return PursePaid()
        return self._last.apart if apart else self._last.own

    @property
    def _last(self) -> JournalLine | None:
        return self._journal.lines[self._length - 1] if self._length else None

    def _last_of(self, client: str) -> int | None:
        """The client's last line that this ledger sees."""
        at = self._journal.last.get(client)
        while at is not None and at >= self._length:
            at = self._journal.lines[at].client_before
        return at

    def _with(self, journal: Journal) -> Self:
        return replace(self, _journal=journal, _length=self._length + 1)
