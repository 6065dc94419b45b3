"""Quote: what a question would cost its client now, and what it would be worth."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from sigmaclient.notebook import html
from sigmaclient.words import amount, percent
from streams.wire.messages import tables
from streams.wire.messages.privacy import MeasureName


@dataclass(frozen=True, slots=True)
class Quote:
    """A price; nothing was drawn or charged for it, and it may change until it is paid.

    Units: ``cost`` and all that is left in units of ``measure`` (µε for ``epsilon``);
    ``stderr``, ``error`` and ``width`` in rows.

    Attributes:
        cost: what the question would add to the ledger; 0: it is free.
        error: half the width of the interval that holds with ``confidence``; of a
            table, for each of its rows by itself.
        dataset_left: of the whole budget.
        fresh_left: of the cap on fresh questions; None: there is none.
        client_left: of this client's quota; None: it has none.
        affordable: whether the ledger would grant it now.
    """

    measure: MeasureName
    cost: int
    stderr: float
    error: float
    confidence: float
    dataset_left: int
    fresh_left: int | None = None
    client_left: int | None = None
    affordable: bool = True

    @classmethod
    def of(cls, wire: tables.Quote) -> Quote:
        """The quote that an answer carries."""
        return cls(**msgspec.structs.asdict(wire))

    @property
    def free(self) -> bool:
        """True where nothing would be added to the ledger."""
        return self.cost == 0

    @property
    def width(self) -> float:
        """Of the whole interval (rows)."""
        return 2 * self.error

    def facts(self) -> list[tuple[str, str]]:
        """It in words, a fact each."""
        facts = [
            ("price", "nothing" if self.free else self._amount(self.cost)),
            ("error", self._error()),
            ("standard error", f"{self.stderr:,.1f} rows"),
            ("left", f"{self._amount(self.dataset_left)} of the whole budget"),
        ]
        if self.fresh_left is not None:
            facts += [("", f"{self._amount(self.fresh_left)} for fresh questions")]
        if self.client_left is not None:
            facts += [("", f"{self._amount(self.client_left)} of your quota")]
        if not self.affordable:
            facts += [("affordable", "no: more than what is left")]
        return facts

    def _error(self) -> str:
        sure = percent(self.confidence)
        return f"± {self.error:,.0f} rows with {sure}, each count by itself"

    def _amount(self, units: int) -> str:
        return amount(self.measure, units)

    def _repr_html_(self) -> str:
        return html.facts(self.facts())
