"""Answered: a price with what it would buy, and a number with its interval."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dashboard.asking import QuestionCopies, copies, sql
from dashboard.charts import ErrorBar, error_bars
from dashboard.pages.sign_in import RefusedPage
from sigmaclient.answer import Answer
from sigmaclient.quote import Quote
from sigmaclient.tables import CountTable
from sigmaclient.words import ROUTES, amount, moment, percent, promises
from streams.wire.messages.events import QueryAnswered

MOST_SHOWN: Final = 200  # rows of a table; who wants all of them copies the question
STANDS: Final = {"where", "by", "having", "order_by", "limit", "confidence", "since"}
NO_REASON: Final = "The service gave no reason."
TITLES: Final = {
    "refused": "Refused: nothing was spent",
    "invalid": "This is not a question yet",
    "expired": "No answer in time",
}
FactLines = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class QuotePage:
    """What a question would cost, and the question itself as its button sends it.

    Attributes:
        sql: what would be asked; None: it is not written as SQL.
        price: in words.
        error: half the width of the interval, in words.
        body: the question as JSON, with the price as its limit.
        trouble: why there is a price where an answer was wanted; else empty.
    """

    sql: str | None
    price: str
    error: str
    facts: FactLines
    affordable: bool
    body: str
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a table: its levels, its count, what it lies between, and its bar."""

    levels: tuple[str, ...]
    count: int
    low: int
    high: int
    bar: ErrorBar


@dataclass(frozen=True, slots=True)
class TableShown:
    """The rows of a table, and what their intervals cover."""

    by: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    covers: str
    hidden: int


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """A number with its interval, where it comes from, and what it protects.

    Attributes:
        table: where the question was split; ``count`` is of all its rows.
        stands: the question as JSON, of what one that stands may say, at no cost.
    """

    count: int
    interval: tuple[int, int] | None
    confidence: str
    table: TableShown | None
    facts: FactLines
    promise: FactLines
    copies: QuestionCopies
    stands: str


def quote_page(
    dataset: str, body: Mapping[str, Any], event: QueryAnswered
) -> QuotePage | RefusedPage:
    """The price of the question of these fields, or why it has none."""
    answer = Answer.of(event)
    quote = answer.quote
    if quote is None:
        return refused_page(answer)
    limit = {"max_cost": quote.cost, "max_cost_measure": quote.measure}
    facts = [(name or "left", fact) for name, fact in quote.facts()]
    return QuotePage(
        sql(dataset, body),
        _price(quote),
        dict(facts)["error"],
        tuple(facts),
        quote.affordable,
        json.dumps(dict(body) | limit, ensure_ascii=False),
        "" if answer.status == "ok" else _said(answer),
    )


def answer_page(
    dataset: str, client: str, body: Mapping[str, Any], event: QueryAnswered
) -> AnswerPage | QuotePage | RefusedPage:
    """The answer to the question of these fields, a new price, or a refusal."""
    answer = Answer.of(event)
    if answer.count is None:
        return quote_page(dataset, body, event)
    return AnswerPage(
        answer.count,
        answer.interval,
        percent(answer.confidence),
        None if answer.table is None else _table(answer.table),
        tuple(_facts(answer)),
        tuple(promises(answer.guarantee or {})),
        copies(dataset, client, body),
        json.dumps({n: said for n, said in body.items() if n in STANDS}),
    )


def refused_page(answer: Answer) -> RefusedPage:
    """Why there is neither count nor price."""
    return RefusedPage(TITLES.get(answer.status, "Refused"), _said(answer))


def _said(answer: Answer) -> str:
    said = answer.error_message or NO_REASON
    return said[:1].upper() + said[1:]


def _price(quote: Quote) -> str:
    return "nothing" if quote.free else amount(quote.measure, quote.cost)


def _table(table: CountTable) -> TableShown:
    shown = table.rows[:MOST_SHOWN]
    bars = error_bars([(row.count, row.box) for row in shown])
    rows = tuple(
        ShownRow(tuple(each or "NULL" for each in row.levels), row.count, *row.box, bar)
        for row, bar in zip(shown, bars, strict=True)
    )
    return TableShown(table.by, rows, table.covers, len(table.rows) - len(shown))


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.route is not None:
        yield "comes from", ROUTES[answer.route]
    if answer.as_of_ms is not None:
        yield "as of", f"{moment(answer.as_of_ms)}, epoch {answer.epoch:,}"
    if answer.frozen:
        yield "frozen", "the budget allows no newer release; this is the last one"
    if answer.stderr is not None:
        yield "standard error", f"{answer.stderr:,.1f} rows"
    yield "cost", answer.cost
