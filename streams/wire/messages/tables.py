"""Tables and prices on the wire: the rows of a GROUP BY, and what a question costs."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from streams.wire.messages.privacy import MeasureName, Units

MOST_BY = 8  # attributes of a GROUP BY
MOST_ROWS = 4_096  # of one table: half a MiB of JSON at most

Named = Annotated[str, Meta(max_length=2**8)]
RowCount = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
# Beyond it, what 4,096 rows are each allowed to miss is lost in the rounding of floats.
SUREST = 1 - 1e-9
Probability = Annotated[float, Meta(gt=0, le=SUREST)]
Level: TypeAlias = Annotated[str, Meta(max_length=2**16)] | None

By = Annotated[tuple[Named, ...], Meta(max_length=MOST_BY)]


class Arrangement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """HAVING, ORDER BY and LIMIT of a table: post-processing of its noisy rows.

    Attributes:
        having: bounds of a row's count by comparison: ``{"ge": 100}``.
        order_by: ``count`` or attributes of the table, ``-`` before a descending one;
            empty: as the levels are declared.
        limit: how many rows at most; None: all.
    """

    having: dict[Named, RowCount] = {}
    order_by: By = ()
    limit: Annotated[int, Meta(ge=0, le=2**31)] | None = None


class Terms(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """On which terms a client asks: what may be spent, and for what accuracy.

    Attributes:
        price: only the price is asked for; nothing is drawn or charged.
        max_cost: refuse rather than add more to the ledger, in its units (µε for
            ``epsilon``); 0: only if it is free; None: as much as a question costs.
        max_cost_measure: what ``max_cost`` is in; of a ledger of another measure it
            allows nothing. None: whatever the ledger counts in.
        error: half the width of the interval that is wanted (rows); None: that of the
            operator's price of a fresh question.
        confidence: of the interval; None: the operator's.
        repeat: whether later epochs may ask the same at no charge, under a rule that
            protects every change for one charge; else each pays for its own.
    """

    price: bool = False
    max_cost: Units | None = None
    max_cost_measure: MeasureName | None = None
    error: Annotated[float, Meta(gt=0)] | None = None
    confidence: Probability | None = None
    repeat: bool = True

    @property
    def most(self) -> int | None:
        """What may be added to the ledger: nothing for an accuracy without a limit."""
        if self.max_cost is None and self.error is not None:
            return 0
        return self.max_cost

    def limit(self, measure: str) -> int | None:
        """``most`` in a ledger of this measure: nothing where another was meant."""
        named = self.max_cost_measure
        return 0 if named not in {None, measure} else self.most


PLAIN = Terms()  # as it is, at the operator's price and confidence


class TableCell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a table: how many rows of the dataset have these levels.

    Units: rows.

    Attributes:
        levels: label of each attribute of the table, in its order; None is NULL.
        interval: holds the true count of this row with the answer's ``confidence``.
        joint: the intervals of all rows of the table, taken together, hold with that
            probability; the one to use for a row that was picked for its count.
    """

    levels: Annotated[tuple[Level, ...], Meta(max_length=MOST_BY)]
    count: RowCount
    stderr: float
    interval: tuple[RowCount, RowCount]
    joint: tuple[RowCount, RowCount]


class CountTable(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table of counts, GROUP BY ``by``: a row for each combination of levels.

    The answer's ``count`` is the sum of all its rows, those included that HAVING or
    LIMIT left out.

    Attributes:
        cells: how many rows it has before HAVING and LIMIT.
    """

    by: By
    rows: Annotated[tuple[TableCell, ...], Meta(max_length=MOST_ROWS)]
    cells: Annotated[int, Meta(ge=0, le=MOST_ROWS)]


class Quote(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a question would cost its client now, and what it would be worth.

    Units: ``cost`` and all that is left in units of ``measure`` (µε for ``epsilon``);
    ``stderr`` and ``error`` in rows.

    Attributes:
        cost: what would be added to the ledger; 0: it is free.
        error: half the width of the interval.
        client_left: of the client's quota; None: there is no quota.
        fresh_left: of the cap on fresh questions; None: there is none.
        dataset_left: of the whole budget.
        affordable: whether the ledger would grant it now.
    """

    measure: MeasureName
    cost: Units
    stderr: float
    error: float
    confidence: Probability
    dataset_left: Units
    fresh_left: Units | None = None
    client_left: Units | None = None
    affordable: bool = True
