"""Errors of meaning: a schema, row, query, algebra or plan that makes no sense."""

from __future__ import annotations

from sigmacount.errors.root import SigmaError


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


class InvalidMessage(SigmaError):
    """A message that its topic does not carry; nothing of it was taken.

    The text names the field and what is wrong with it, never its value.

    Attributes:
        message: what is wrong.
        field: the field (or header) at fault, or None for the message as a whole.
    """

    code = "invalid_message"

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message, field)
        self.message, self.field = message, field

    def __str__(self) -> str:
        where = "the message" if self.field is None else f"field {self.field!r}"
        return f"{where} {self.message}; nothing was done about it."


class InvalidPredicate(SigmaError):
    """A query that has no meaning in this schema; nothing was spent.

    Attributes:
        message: what is wrong and what to write instead.
        position: offset into the query text (characters, from 0), or None.
    """

    code = "invalid_predicate"

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message, position)
        self.message, self.position = message, position

    def __str__(self) -> str:
        where = "" if self.position is None else f"at character {self.position + 1}: "
        stop = "" if self.message.endswith((".", "?")) else "."
        return f"{where}{self.message}{stop} Nothing was spent."


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


class CountsTooLarge(SigmaError):
    """A release would hold sums of counts beyond 64 bits; nothing of it was made.

    Attributes:
        bits: its unit is 2^-bits of a row of each cell.
    """

    code = "counts_too_large"

    def __init__(self, bits: int) -> None:
        super().__init__(bits)
        self.bits = bits

    def __str__(self) -> str:
        return (
            f"counts in units of 2^-{self.bits} do not fit 64 bits; nothing was"
            " released. There are more rows than the dataset's rows_max allows for, or"
            " far more noise than rows: raise rows_max, and plan again."
        )


class InvalidPlan(SigmaError):
    """A plan on the wire is malformed or of another schema; the old one stays."""

    code = "invalid_plan"


class NoiseTooWide(InvalidPlan):
    """Noise is too wide to be counted over time; nothing was charged for it.

    Attributes:
        why: which σ, and what the horizon holds.
    """

    code = "noise_too_wide"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return f"{self.why}; nothing was charged for it."


class TooManyTables(SigmaError):
    """Tables of more rows than one batch of questions may ask for came together.

    Nothing was spent on this one; the same question is answered a little later.

    Attributes:
        most: how many rows the tables of one batch may have.
    """

    code = "too_many_tables"
    retriable = True

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most

    def __str__(self) -> str:
        return (
            f"tables of more than {self.most:,} rows were asked for at once, by all"
            " clients together; nothing was spent on this one. Ask it again in a few"
            " seconds, and fewer large tables at a time."
        )
