"""Answer: one count, how sure it is, where it came from and what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sigmaclient.errors import NoCount
from sigmaclient.notebook import frames, html, plots
from sigmaclient.quote import Quote
from sigmaclient.row import Row
from sigmaclient.tables import CountTable
from sigmaclient.words import amount, covering, percent, promises
from streams.wire.messages.events import QueryAnswered, RouteName, Status


@dataclass(frozen=True, slots=True)
class Answer:
    """All that the service said about one question; refusals are answers too.

    Nothing is raised for a question the service declined: ask ``ok``, or call
    ``require()`` where a missing count is a fault.

    Units:
        stderr, interval     rows
        as_of_ms             milliseconds since 1970, the snapshot that was counted
        spent_micro_epsilon  µε that this answer added to the ledger; 0 if it holds
                             another measure: ``spent`` says which

    Attributes:
        status: ``ok``, ``refused``, ``invalid`` or ``expired``.
        count: non-negative integer; None unless ``ok``. Of a question with ``since``
            the net change, which may be negative.
        since_epoch, since_ms: the epoch that it was compared with, and its time.
        interval: (lowest, highest) count that ``confidence`` covers.
        route: ``algebra`` (free), ``memo`` (noise drawn earlier) or ``fresh``.
        atoms: how many noisy numbers the count is the sum of.
        frozen: True once no newer release follows; the count is older data.
        spent: what this answer added to the ledger: its ``measure`` (``epsilon`` in µε,
            ``rho`` in 1e-12 ρ) and whole ``units`` of it; None if nothing.
        guarantee: what is promised to the people counted, in the service's words; its
            ``rule`` says which other fields there are.
        unbiased: the noisy sum before post-processing; it may be negative.
        table: the rows of a question with ``by``; ``count`` is the sum of all of them.
        quote: what the question would cost, where its price was asked for or is why it
            was refused.
        name: of the standing question that this answers.
        error_code, error_message: why there is no count, and what to do.
    """

    request_id: str
    client: str
    status: Status
    count: int | None = None
    stderr: float | None = None
    interval: tuple[int, int] | None = None
    confidence: float | None = None
    route: RouteName | None = None
    atoms: int | None = None
    group: str | None = None
    plan: int | None = None
    epoch: int | None = None
    as_of_ms: int | None = None
    frozen: bool = False
    spent: Mapping[str, Any] | None = None
    spent_micro_epsilon: int = 0
    guarantee: Mapping[str, Any] | None = None
    unbiased: int | None = None
    table: CountTable | None = None
    quote: Quote | None = None
    name: str | None = None
    since_epoch: int | None = None
    since_ms: int | None = None
    error_code: str | None = None
    error_message: str | None = None

    @classmethod
    def of(cls, event: QueryAnswered, *, declared: bool = True) -> Answer:
        """The answer that an event of the results topic carries.

        ``declared``: the rows of its table are in the order of the declaration.
        """
        fields = msgspec.structs.asdict(event)
        del fields["v"]
        fields |= {"spent": _plain(event.cost), "guarantee": _plain(event.guarantee)}
        if event.table is not None:
            table = CountTable.of(event.table, event.confidence, declared=declared)
            fields |= {"table": table}
        if event.quote is not None:
            fields |= {"quote": Quote.of(event.quote)}
        error = fields.pop("error")
        if error is not None:
            fields |= {"error_code": error.code, "error_message": error.message}
        return cls(**fields)

    @property
    def ok(self) -> bool:
        """True when there is a count."""
        return self.status == "ok" and self.count is not None

    @property
    def cost(self) -> str:
        """What this answer added to the ledger, in words."""
        if self.spent is None or not self.spent["units"]:
            return "nothing"
        return amount(self.spent["measure"], self.spent["units"])

    def require(self) -> int:
        """The count.

        Raises:
            NoCount: the service declined; the caller mends the question
                (``invalid``), asks again (``expired``), or asks something that an
                algebra answers for free (``refused``).
        """
        if self.status == "ok" and self.count is not None:
            return self.count
        raise NoCount(
            self.status,
            self.error_code or "unknown",
            self.error_message or "the service gave no reason",
        )

    def to_pandas(self) -> Any:  # noqa: ANN401  (a pandas.DataFrame)
        """The table as a `pandas.DataFrame`; without one, a single row: the count.

        Columns: the attributes, ``count``, ``stderr``, ``low`` and ``high`` of each
        row's own interval, ``joint_low`` and ``joint_high`` of the joint one.
        ``attrs`` says what those cover, and where the answer is from.

        Raises:
            NoCount: as `require`.
            ExtraMissing: pandas is not installed; `sigma-client[notebook]` brings it.
        """
        by, rows = self._rows()
        names = ("confidence", "route", "epoch", "as_of_ms", "guarantee")
        notes = {name: getattr(self, name) for name in names}
        notes["joint_covers"] = covering(self.confidence)
        return frames.pandas(frames.columns(by, rows), notes)

    def to_polars(self) -> Any:  # noqa: ANN401  (a polars.DataFrame)
        """The same columns as a `polars.DataFrame`; raises as `to_pandas`."""
        return frames.polars(frames.columns(*self._rows()))

    def plot(self, ax: Any = None, **options: Any) -> Any:  # noqa: ANN401
        """Bars on matplotlib axes, which are returned; error bars are joint intervals.

        ``options`` are those of ``Axes.bar``. Raises as `to_pandas`.
        """
        by, rows = self._rows()
        return plots.bars(rows, by, covering(self.confidence), ax, **options)

    def _rows(self) -> tuple[tuple[str, ...], tuple[Row, ...]]:
        """The table's attributes and rows; a single count is a table of one row."""
        count = self.require()
        if self.table is not None:
            return self.table.by, self.table.rows
        interval = self.interval or (count, count)
        return (), (Row((), count, self.stderr or 0.0, interval, interval),)

    def _repr_html_(self) -> str:
        """For a notebook: count, table, price and promise."""
        parts = [] if self.quote is None else [html.facts(self.quote.facts())]
        if self.table is not None:
            parts.append(self.table._repr_html_())
        return html.facts(self._facts()) + "".join(parts)

    def _facts(self) -> list[tuple[str, str]]:
        if not self.ok:
            priced = self.status == "ok" and self.quote is not None
            return [] if priced else [(self.status, self.error_message or "")]
        facts = [("count" if self.table is None else "total", f"{self.count:,}")]
        if self.interval is not None:
            low, high = self.interval
            sure = percent(self.confidence)
            facts.append(("between", f"{low:,} and {high:,} with {sure} confidence"))
        facts.append(("cost", self.cost))
        return facts + list(promises(self.guarantee or {}))


def _plain(part: msgspec.Struct | None) -> Mapping[str, Any] | None:
    """The part of an answer as it travels, its tag among the fields."""
    return None if part is None else msgspec.to_builtins(part)
