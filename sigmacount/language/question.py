"""Question: all that a client asks, as one value: a count, or a table of counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sigmacount.domain import Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.language.parsing import parse
from sigmacount.language.sql import grammar, select, select_habits, translate
from sigmacount.predicates import query_of
from sigmacount.release import TableArrangement
from sigmacount.sets import GroupedQuery, Query

NO_TABLE: Final = TableArrangement(())


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """A condition and, where it is grouped, its table and what is shown of it.

    Attributes:
        condition: whose rows are counted.
        grouped: the cells of the table; None: one count.
    """

    condition: Query
    grouped: GroupedQuery | None = None
    arrangement: TableArrangement = NO_TABLE

    @property
    def key(self) -> str:
        """Equal for questions whose counts are the same, however they are arranged."""
        return self.condition.key if self.grouped is None else self.grouped.key

    @staticmethod
    def of(condition: Query, arrangement: TableArrangement) -> CountQuestion:
        """The question whose table has these columns, if any.

        Raises:
            InvalidPredicate, QueryTooComplex: as ``GroupedQuery``.
        """
        grouped = None
        if arrangement.by:
            names = [condition.schema.names[i] for i in arrangement.by]
            grouped = GroupedQuery.of(condition, names)
        return CountQuestion(condition, grouped, arrangement)


def parse_question(
    schema: Schema,
    where: str | Mapping[str, object] | None,
    by: Sequence[str] = (),
    *,
    having: Mapping[str, int] | None = None,
    order_by: Sequence[str] = (),
    limit: int | None = None,
) -> CountQuestion:
    """What ``where`` asks: a condition, as ``parse`` takes it, or one SELECT as text.

    A SELECT counts rows of the dataset that the schema is called after. What it groups
    by, and what it shows, it says itself or leaves to the other arguments, not both.

    Raises:
        InvalidPredicate, UnknownName, EdgeInsideBin: no meaning in this schema; the
            text says what to write instead.
        QueryTooComplex: a bound of ``parse``, or more than 4,096 rows.
    """
    if not isinstance(where, str) or not _is_select(where):
        arrangement = TableArrangement.of(schema, by, having, order_by, limit)
        return CountQuestion.of(parse(schema, where), arrangement)
    beside = by or having or order_by or limit is not None
    try:
        parts = select.parts_of(schema, grammar.read_select(where))
        arranged = parts.by, parts.having, parts.order_by, parts.limit
        if beside:
            _check_unsaid(parts)
            arranged = tuple(by), dict(having or {}), tuple(order_by), limit
        arrangement = TableArrangement.of(schema, *arranged)
        return CountQuestion.of(_condition(schema, parts), arrangement)
    except InvalidPredicate as refused:
        raise select_habits.helped(where, schema.name, refused) from None


def _check_unsaid(parts: select.SelectParts) -> None:
    """What a SELECT says itself is not said beside it once more."""
    if parts.by or parts.having or parts.order_by or parts.limit is not None:
        msg = (
            "the SELECT says itself what it groups by and shows: leave out by, having,"
            " order_by and limit beside it"
        )
        raise InvalidPredicate(msg)


def _is_select(text: str) -> bool:
    """A text that cannot be read is left to ``parse``, which says why."""
    try:
        return grammar.is_select(text)
    except InvalidPredicate:
        return False


def _condition(schema: Schema, parts: select.SelectParts) -> Query:
    if parts.where is None:
        return Query.everything(schema)
    return query_of(schema, translate.logic_of(schema, parts.where))
