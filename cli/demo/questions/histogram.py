"""What analysts try first: a histogram, a price, and a question that must be free."""

from __future__ import annotations

from dataclasses import dataclass

from cli.demo.census.simulated_rows import SimulatedRows
from sigmaclient import Answer, Question, Session
from sigmacount.domain import Schema
from sigmacount.sets import GroupedQuery, Query

# Some algebra holds one of them; the first that is free is shown.
BY = (("age",), ("race", "sex"), ("race",), ("sex",))
DEAR = "occupation = 'Sales' AND hours_per_week >= 50"  # no team asks by occupation


@dataclass(frozen=True, slots=True)
class Histogram:
    """A table of the last epoch, and what a question that no algebra holds would cost.

    Attributes:
        table: the answer with the rows, asked only if it is free.
        truth: of each row, in its order.
        priced: the price of ``DEAR``.
        limited: the same question, asked only if it is free.
    """

    table: Answer
    truth: tuple[int, ...]
    priced: Answer
    limited: Answer

    @property
    def covered(self) -> int:
        """Joint intervals that hold the truth; all of them with 95 % confidence."""
        rows = self.table.table or ()
        pairs = zip(rows, self.truth, strict=True)
        return sum(row.joint[0] <= truth <= row.joint[1] for row, truth in pairs)

    @property
    def adds_up(self) -> bool:
        """It was free, and its rows add up to its total, each of them rounded."""
        rows = self.table.table or ()
        apart = abs(sum(row.count for row in rows) - (self.table.count or 0))
        return self.table.ok and not self.table.spent and 2 * apart <= len(rows) + 1

    @property
    def declined(self) -> bool:
        """It has a price, and is refused to who wants to pay nothing."""
        quote = self.priced.quote
        refused = self.limited.error_code == "above_max_cost"
        return quote is not None and quote.cost > 0 and refused


async def histogram(
    session: Session, schema: Schema, rows: SimulatedRows
) -> Histogram | None:
    """All of it, asked by one analyst; None where no algebra holds such a table."""
    tables = [Question(by=name, max_cost=0) for name in BY]
    free = [each for each in await session.ask_all(tables) if each.table is not None]
    if not free:
        return None
    price, limit = Question(DEAR, price=True), Question(DEAR, max_cost=0)
    priced, limited = await session.ask_all([price, limit])
    counts = free[0].table
    grouped = GroupedQuery.of(Query.everything(schema), counts.by if counts else ())
    truth = tuple(rows.count(cell.query) for cell in grouped.cells())
    return Histogram(free[0], truth, priced, limited)
