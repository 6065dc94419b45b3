"""Answer: one count, how sure it is, where it came from and what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sigmaclient.errors import NoCount
from streams.wire.events import QueryAnswered, RouteName, Status


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
        count: non-negative integer; None unless ``ok``.
        interval: (lowest, highest) count that ``confidence`` covers.
        route: ``algebra`` (free), ``memo`` (noise drawn earlier) or ``fresh``.
        atoms: how many noisy numbers the count is the sum of.
        frozen: True once the budget stopped new releases; the count is older data.
        spent: what this answer added to the ledger: its ``measure`` (``epsilon`` in µε,
            ``rho`` in 1e-12 ρ) and whole ``units`` of it; None if nothing.
        guarantee: what is promised to the people counted, in the service's words; its
            ``rule`` says which other fields there are.
        unbiased: the noisy sum before post-processing; it may be negative.
        table: rows of a GROUP BY, as ``table`` of docs/messages.md.
        quote: what the question would cost, as ``quote`` there.
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
    table: Mapping[str, Any] | None = None
    quote: Mapping[str, Any] | None = None
    name: str | None = None
    error_code: str | None = None
    error_message: str | None = None

    @classmethod
    def of(cls, event: QueryAnswered) -> Answer:
        """The answer that an event of the results topic carries."""
        fields = msgspec.structs.asdict(event)
        del fields["v"]
        fields |= {"spent": _plain(event.cost), "guarantee": _plain(event.guarantee)}
        fields |= {"table": _plain(event.table), "quote": _plain(event.quote)}
        error = fields.pop("error")
        if error is not None:
            fields |= {"error_code": error.code, "error_message": error.message}
        return cls(**fields)

    @property
    def ok(self) -> bool:
        """True when there is a count."""
        return self.status == "ok" and self.count is not None

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


def _plain(part: msgspec.Struct | None) -> Mapping[str, Any] | None:
    """The part of an answer as it travels, its tag among the fields."""
    return None if part is None else msgspec.to_builtins(part)
