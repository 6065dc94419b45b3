"""Spending over time: charges of the topic `ledger`, added up by purpose and client.

The topic keeps every charge for ever, so they are not kept here one by one: sums of
equal spans are, and spans grow until all of them fit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from sigmacount.accounting import NOTE_PURPOSES
from sigmacount.mechanisms import Measure
from streams.wire.messages.audit_events import ChargeGranted
from streams.wire.messages.events import Name
from streams.wire.messages.privacy import MeasureName

FIRST_SPAN_MS: Final = 60_000
MOST_SPANS: Final = 400  # as many as a curve has pixels for
MOST_SUMS: Final = 20_000  # some 3 MiB
MOST_CLIENTS: Final = 5_000  # with a sum of their own


class ChargedFor(NamedTuple):
    """What charges are added up by.

    Attributes:
        measure: what was paid in: the ledger's, or ε for surcharges beside one of ρ.
        purpose: ``group``, ``fresh`` or ``epoch``.
        client: whose question it was; None: the data set's, or of one client too many.
    """

    measure: MeasureName
    purpose: str
    client: Name | None


class SpendingLine(NamedTuple):
    """What was spent in all up to a moment.

    Attributes:
        at_ms: the end of a span, milliseconds since 1970.
        spent: in whole units of the measure.
    """

    at_ms: int
    spent: int


ChargeFilter = Callable[[ChargedFor], bool]


class SpendingHistory:
    """Charges added up; a message that is repeated changes nothing.

    Attributes:
        lines: how many charges are in it.
        first_ms: when the first was granted; None before it, or where none has a time.
    """

    def __init__(self, span_ms: int = FIRST_SPAN_MS) -> None:
        self._span_ms = span_ms
        self._sums: defaultdict[int, Counter[ChargedFor]] = defaultdict(Counter)
        self._clients: set[Name] = set()
        self._latest_ms = 0
        self.lines = 0
        self.first_ms: int | None = None

    @property
    def span_ms(self) -> int:
        """How long each span is now (ms)."""
        return self._span_ms

    def take(self, event: ChargeGranted) -> None:
        """One more line of the ledger, in the order of the topic."""
        if event.length <= self.lines:
            return  # told again, since its acknowledgement was lost
        self.lines = event.length
        if event.purpose in NOTE_PURPOSES:
            return
        at_ms = self._latest_ms if event.at_ms is None else event.at_ms
        self._latest_ms = max(self._latest_ms, at_ms)
        if self.first_ms is None and at_ms:
            self.first_ms = at_ms
        key = ChargedFor(event.measure, event.purpose, self._known(event.client))
        self._sums[at_ms // self._span_ms][key] += event.micro_epsilon
        self._shrink()

    def total(self, measure: Measure, chosen: ChargeFilter, since_ms: int = 0) -> int:
        """What was paid for what is chosen, in units of ``measure``.

        Spans that began before ``since_ms`` are left out.
        """
        first = -(-since_ms // self._span_ms)
        return sum(
            units
            for span, sums in self._sums.items()
            for key, units in sums.items()
            if span >= first and key.measure == measure and chosen(key)
        )

    def clients(self, measure: Measure) -> dict[Name, int]:
        """What each client's questions cost, the most first."""
        found = Counter[Name]()
        for sums in self._sums.values():
            for key, units in sums.items():
                if key.client is not None and key.measure == measure:
                    found[key.client] += units
        return dict(found.most_common())

    def curve(self, measure: Measure, chosen: ChargeFilter) -> Iterator[SpendingLine]:
        """How the sum of what is chosen grew, a point at the end of each span."""
        spent = 0
        for span in sorted(self._sums):
            spent += sum(
                units
                for key, units in self._sums[span].items()
                if key.measure == measure and chosen(key)
            )
            yield SpendingLine((span + 1) * self._span_ms, spent)

    def _known(self, client: Name | None) -> Name | None:
        """The client, unless it is one more than have a sum of their own."""
        if client is None or client in self._clients:
            return client
        if len(self._clients) >= MOST_CLIENTS:
            return None
        self._clients.add(client)
        return client

    def _shrink(self) -> None:
        """Spans twice as long, until they are few enough; sums stay what they are."""
        while len(self._sums) > MOST_SPANS or self._held() > MOST_SUMS:
            wider: defaultdict[int, Counter[ChargedFor]] = defaultdict(Counter)
            for span, sums in self._sums.items():
                wider[span // 2].update(sums)
            if len(wider) == len(self._sums) == 1:
                return
            self._sums, self._span_ms = wider, 2 * self._span_ms

    def _held(self) -> int:
        return sum(map(len, self._sums.values()))
