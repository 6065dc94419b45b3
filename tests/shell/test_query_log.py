"""The query log: a window of days, a cap for each client, and no forged keys."""

from __future__ import annotations

import msgspec
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPredicate
from sigmacount.language import parse
from sigmacount.sets import GroupedQuery, WeightedTable
from streams.wire.messages.events import QueryLogged
from workers.reclusterer.query_log import DAY_MS, QueryLog

SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.categorical("city", ["Oslo", "Paris", "Rome"]),
    ),
)
FEMALE, OSLO, ROME = "sex = 'F'", "city = 'Oslo'", "city = 'Rome'"
TODAY = 20_000


def logged(where: str, client: str = "ada", times: int = 1, day: int = TODAY):
    """One record of the query log."""
    query = parse(SCHEMA, where)
    return QueryLogged(
        key=query.key,
        query=query.to_wire(),
        attributes=tuple(SCHEMA.names[i] for i in query.active),
        client=client,
        times=times,
        route="fresh",
        ts_ms=day * DAY_MS + 5,
    )


def book(*events, cap: float = 1.0, days: int = 7) -> QueryLog:
    """A book that has read these records."""
    book = QueryLog(SCHEMA, days, cap)
    for event in events:
        book.note(event)
    return book


def weights(book: QueryLog) -> dict[str, float]:
    """Canonical key → weight."""
    return {each.query.key: each.weight for each in book.weights()}


def key(where: str) -> str:
    """The canonical key of a text."""
    return parse(SCHEMA, where).key


def test_the_same_set_is_one_entry_however_spelled():
    """Times of all spellings, clients and days add up."""
    found = book(
        logged(FEMALE, "ada", 2),
        logged("NOT sex = 'M'", "bob", 3),
        logged(FEMALE, "ada", 4, day=TODAY - 2),
    )

    assert weights(found) == {key(FEMALE): 9.0}
    assert found.asked == 9


def test_days_that_left_the_window_are_forgotten():
    """And the queries that nobody asked since."""
    found = book(logged(FEMALE, day=TODAY - 8), logged(OSLO, day=TODAY - 7))

    found.forget(TODAY * DAY_MS)

    assert weights(found) == {key(OSLO): 1.0}
    assert found.asked == 1


def test_a_query_asked_in_and_before_the_window_stays():
    """Its old days are gone, its meaning is not."""
    found = book(logged(FEMALE, times=5, day=TODAY - 9), logged(FEMALE))

    found.forget(TODAY * DAY_MS)

    assert weights(found) == {key(FEMALE): 1.0}


@pytest.mark.parametrize("loud", [100, 10**6])
def test_no_client_counts_for_more_than_the_cap(loud):
    """A quarter of what all count for together, however often somebody asks."""
    others = [logged(FEMALE, f"c{n}", 10) for n in range(6)]
    found = book(
        logged(OSLO, "loud", loud // 2),
        logged(ROME, "loud", loud // 2, day=TODAY - 1),
        *others,
        cap=0.25,
    )

    told = weights(found)

    its = told[key(OSLO)] + told[key(ROME)]
    assert its / sum(told.values()) == pytest.approx(0.25)
    assert told[key(OSLO)] == told[key(ROME)]
    assert told[key(FEMALE)] == 60


def test_a_client_below_the_cap_counts_in_full():
    """The cap bends nobody else's weight."""
    found = book(*(logged(FEMALE, f"c{n}", n + 1) for n in range(4)), cap=0.5)

    assert weights(found)[key(FEMALE)] == 1 + 2 + 3 + 4


def test_a_query_under_another_ones_key_is_refused():
    """Or its weight would go to a set that nobody asked for."""
    forged = msgspec.structs.replace(logged(FEMALE), key=key(OSLO))
    found = book()

    with pytest.raises(InvalidPredicate):
        found.note(forged)

    assert found.weights() == []


def test_a_query_of_another_schema_is_refused():
    """The record becomes a dead letter."""
    event = logged(FEMALE)
    event.query["active"] = ["weight"]

    with pytest.raises(InvalidPredicate):
        book(event)


def test_less_than_no_times_counts_for_nothing():
    """A forged record takes no weight away from others."""
    found = book(logged(FEMALE, times=3), logged(FEMALE, "bob", times=-100))

    assert weights(found)[key(FEMALE)] == 3


def test_a_table_weighs_as_one_question():
    """However many rows it has; and it is another question than its condition."""
    table = GroupedQuery.of(parse(SCHEMA, FEMALE), ["city"])
    event = msgspec.structs.replace(logged(FEMALE), key=table.key, by=("city",))

    found = book(event, event, logged(FEMALE))

    assert weights(found) == {table.key: 2.0, key(FEMALE): 1.0}
    assert WeightedTable(table, 2.0) in found.weights()


def test_a_table_under_the_key_of_another_is_refused():
    """Nobody can put a question into the log that was not asked."""
    event = msgspec.structs.replace(logged(FEMALE), by=("city",))

    with pytest.raises(InvalidPredicate, match="not the one its key names"):
        book(event)
