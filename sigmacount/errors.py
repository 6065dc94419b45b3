"""Every error this project raises on purpose.

SigmaError
├── InvalidSchema       a dataset's declaration is wrong  → operator mends the config
│   └── DomainTooLarge  2^63 cells or more                → coarsen the named attributes
├── InvalidRow          a row cannot be placed in a cell  → dead letter, next record
├── InvalidPredicate    the query text or its columns     → caller mends the query
│   ├── UnknownName     no such attribute or level        → caller takes a close name
│   ├── EdgeInsideBin   a constant cuts a bin             → caller takes a nearest edge
│   └── QueryTooComplex bounded work would be exceeded    → caller splits the query
├── NotInAlgebra        the query cuts an atom            → caller takes Algorithm 1
├── AlgebraTooLarge     more atoms than one may hold      → planner lowers its limits
├── InvalidPlan         the plan on the wire is malformed → dead letter, old plan stays
├── BudgetExhausted     ε_budget would be overdrawn       → caller waits, nothing spent
├── ChargeConflict      one id, two different charges     → caller's bug, nothing spent
├── UncertifiedNoise    OpenDP vouches for a larger ε     → operator pins another OpenDP
├── ReleaseFrozen       no budget for another epoch   → ask what the epoch holds
├── Fenced              a newer owner took over           → stop writing, rejoin
├── PositionMismatch    records were skipped or repeated  → seek to the stored position
├── Superseded          the epoch is not the head's       → drop it, read the head
├── UnsafeStore         the store may lose what it holds  → operator mends the server
├── Mismatch            stream and store do not belong    → operator follows the remedy
│                       together
├── TooManyDeadLetters  a flood of bad events             → worker halts, operator looks
├── StreamUnavailable   the broker did not answer         → retriable
└── StoreUnavailable    Redis did not answer              → retriable

Error text never holds a true count, a noise value or a value of a row.
"""

from __future__ import annotations

from typing import ClassVar


class SigmaError(Exception):
    """The root: ``except SigmaError`` catches all that is raised on purpose.

    Attributes:
        code: stable machine word of the class, for messages on the wire.
        retriable: True when the same act may succeed later, unchanged.
    """

    code: ClassVar[str] = "error"
    retriable: ClassVar[bool] = False


class InvalidSchema(SigmaError):
    """A dataset's declaration contradicts itself; nothing was started."""

    code = "invalid_schema"


class DomainTooLarge(InvalidSchema):
    """The product of all levels reaches 2^63 cells; nothing was started.

    Attributes:
        cells: size of the declared domain.
        costliest: (attribute, number of levels), most levels first.
    """

    code = "domain_too_large"

    def __init__(self, cells: int, costliest: tuple[tuple[str, int], ...]) -> None:
        super().__init__(cells, costliest)
        self.cells, self.costliest = cells, costliest

    def __str__(self) -> str:
        named = ", ".join(f"{name} ({size} levels)" for name, size in self.costliest)
        return (
            f"the schema declares {self.cells:.3g} cells, the limit is 2^63; nothing"
            f" was started. Merge levels or widen bins of: {named}."
        )


class InvalidRow(SigmaError):
    """A row that belongs to no cell; counts are unchanged.

    The text names the attribute and the reason, never the value.

    Attributes:
        reason: stable machine word, such as ``outside_levels``.
        attribute: the attribute at fault, or None for the row as a whole.
    """

    code = "invalid_row"

    def __init__(self, reason: str, attribute: str | None = None) -> None:
        super().__init__(reason, attribute)
        self.reason, self.attribute = reason, attribute

    def __str__(self) -> str:
        where = f"attribute {self.attribute!r}: " if self.attribute else ""
        return f"{where}{self.reason.replace('_', ' ')}; counts are unchanged."


class InvalidPredicate(SigmaError):
    """A query that has no meaning in this schema; nothing was spent.

    Attributes:
        message: what is wrong and what to write instead.
        position: offset into the query text (characters), or None.
    """

    code = "invalid_predicate"

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message, position)
        self.message, self.position = message, position

    def __str__(self) -> str:
        where = "" if self.position is None else f" (at character {self.position})"
        return f"{self.message}{where}; nothing was spent."


class UnknownName(InvalidPredicate):
    """The query names an attribute or level that the schema does not declare."""

    code = "unknown_name"


class EdgeInsideBin(InvalidPredicate):
    """A constant of the query falls inside a bin, which no count can cut."""

    code = "edge_inside_bin"


class QueryTooComplex(InvalidPredicate):
    """Answering would take more work than one query is allowed; none was done."""

    code = "query_too_complex"


class NotInAlgebra(SigmaError):
    """The query is not a union of atoms: it is not in F.

    Algorithm 4 line 5 then answers it with fresh noise.
    """

    code = "not_in_algebra"


class AlgebraTooLarge(SigmaError):
    """An algebra would hold more product cells than one may; none was made.

    Attributes:
        cells: product cells of the refused algebra.
        limit: how many one may hold.
    """

    code = "algebra_too_large"

    def __init__(self, cells: int, limit: int) -> None:
        super().__init__(cells, limit)
        self.cells, self.limit = cells, limit

    def __str__(self) -> str:
        return (
            f"the algebra would have {self.cells:.3g} product cells, the limit is"
            f" {self.limit}; none was made. Take fewer attributes or wider blocks."
        )


class InvalidPlan(SigmaError):
    """A plan on the wire is malformed or of another schema; the old one stays."""

    code = "invalid_plan"


class BudgetExhausted(SigmaError):
    """A charge would take the ledger past a limit; nothing was spent.

    Attributes:
        purse: whose limit it is: the dataset, a purpose or a client.
        asked: cost of the refused act (µε).
        left: what the purse still holds (µε), 0 ≤ left < asked.
    """

    code = "budget_exhausted"

    def __init__(self, purse: str, asked: int, left: int) -> None:
        super().__init__(purse, asked, left)
        self.purse, self.asked, self.left = purse, asked, left

    def __str__(self) -> str:
        return (
            f"{self.purse} has {self.left} µε left, this act asks {self.asked} µε;"
            " nothing was spent. Ask a query inside an algebra (free), or wait for"
            " the operator to open a new budget."
        )


class ChargeConflict(SigmaError, ValueError):
    """A charge id was granted before for something else; nothing was spent.

    Attributes:
        charge_id: the id that two different acts claim.
    """

    code = "charge_conflict"

    def __init__(self, charge_id: str) -> None:
        super().__init__(charge_id)
        self.charge_id = charge_id

    def __str__(self) -> str:
        return (
            f"charge {self.charge_id!r} was granted before with another amount,"
            " purpose or client; nothing was spent. Each act needs an id of its own."
        )


class UncertifiedNoise(SigmaError):
    """OpenDP vouches for a larger ε than would be charged; nothing was drawn.

    Attributes:
        micro_epsilon: what would have been charged (µε).
    """

    code = "uncertified_noise"

    def __init__(self, micro_epsilon: int) -> None:
        super().__init__(micro_epsilon)
        self.micro_epsilon = micro_epsilon

    def __str__(self) -> str:
        return (
            f"OpenDP does not certify its noise for {self.micro_epsilon} µε; nothing"
            " was drawn. Pin a release of OpenDP that does."
        )


class ReleaseFrozen(SigmaError):
    """The ledger refused another epoch, and this query was not asked in the last.

    Its snapshot is gone, so nothing new can be answered from it; nothing was spent.
    """

    code = "release_frozen"

    def __str__(self) -> str:
        return (
            "the release is frozen: its budget pays for no further epoch, and this"
            " query was not answered in the last one; nothing was spent. Ask a query"
            " inside an algebra (free), or wait for the operator to open a new budget."
        )


class Fenced(SigmaError):
    """A newer owner holds the fencing token; this write changed nothing."""

    code = "fenced"


class PositionMismatch(SigmaError):
    """A batch does not begin at the stored position; nothing was applied.

    Attributes:
        stored: the position the store expects next.
        offered: the position the batch begins at.
    """

    code = "position_mismatch"

    def __init__(self, stored: int, offered: int) -> None:
        super().__init__(stored, offered)
        self.stored, self.offered = stored, offered

    def __str__(self) -> str:
        return (
            f"the store expects position {self.stored}, the batch begins at"
            f" {self.offered}; nothing was applied. Seek to the stored position."
        )


class Superseded(SigmaError):
    """What was to be published belongs to an epoch that is over; nothing changed.

    Attributes:
        epoch: the one offered.
        head: the one that is served, or None before the first.
    """

    code = "superseded"

    def __init__(self, epoch: int, head: int | None) -> None:
        super().__init__(epoch, head)
        self.epoch, self.head = epoch, head

    def __str__(self) -> str:
        served = "no epoch" if self.head is None else f"epoch {self.head}"
        return (
            f"{served} is served, epoch {self.epoch} does not fit it; nothing changed."
            " Read the head again."
        )


class UnsafeStore(SigmaError):
    """The Redis server is set up so that it may lose what it must keep."""

    code = "unsafe_store"


class Mismatch(SigmaError):
    """What the stream holds and what the store remembers do not belong together."""

    code = "mismatch"


class TooManyDeadLetters(SigmaError):
    """So many events are refused that the worker halts; all wait in their topic.

    Attributes:
        bad: events refused in the window.
        seen: events seen in the window.
        worst: the most frequent reason among them.
    """

    code = "too_many_dead_letters"

    def __init__(self, bad: int, seen: int, worst: str) -> None:
        super().__init__(bad, seen, worst)
        self.bad, self.seen, self.worst = bad, seen, worst

    def __str__(self) -> str:
        return (
            f"{self.bad} of the last {self.seen} events mean nothing, most often"
            f" because of {self.worst!r}; the worker halts so that a bad deploy"
            " cannot drain the topic, and the last batch waits in it. Mend the"
            " dataset and start again; or, when the events themselves are wrong,"
            " start once with a dead-letter ratio of 1, and they go to the dead"
            " letters."
        )


class StreamUnavailable(SigmaError):
    """The broker did not answer or acknowledge; whether it has the event is unknown.

    Every event may be sent again, so the caller repeats from its position.
    """

    code = "stream_unavailable"
    retriable = True


class StoreUnavailable(SigmaError):
    """Redis did not answer in time; whether it applied the act is unknown.

    Every act is fenced or idempotent, so the caller repeats it unchanged.
    """

    code = "store_unavailable"
    retriable = True
