"""Tables: a GROUP BY is answered from an algebra for nothing, or passed on whole."""

from __future__ import annotations

import json

import msgspec
import pytest

from sigmacount.language import parse
from sigmacount.sets import GroupedQuery
from streams.wire.codec import decode
from streams.wire.messages.events import FreshCountAsked
from streams.wire.messages.tables import Arrangement
from tests.fixtures.in_memory import MemoryRecord
from tests.fixtures.responder_steps import FEMALE, TOPICS, ResponderSteps, ask, grouped
from tests.fixtures.table_steps import table_of

pytestmark = pytest.mark.redis


@pytest.fixture
async def steps(redis, keys):
    """Sex by city is in one algebra, and jobs in another."""
    return await ResponderSteps.of(redis, keys, ["sex", "city"], ["job"])


def rows(answer):
    """Labels and counts of a table's rows."""
    return [(row.levels, row.count) for row in answer.table.rows]


async def test_a_table_is_what_each_of_its_rows_is_alone(steps):
    """One answer, for nothing; the count is the sum."""
    [table] = await steps.answer(grouped("", "CITY", "sex"))
    [*alone] = await steps.answer(
        *(
            ask(f"city = '{city}' AND sex = '{sex}'")
            for (city, sex), _ in rows(table)
        )
    )  # fmt: skip

    shown = [(row.count, row.stderr, row.interval) for row in table.table.rows]
    assert shown == [(a.count, a.stderr, a.interval) for a in alone[1:]]
    assert table.count == sum(count for count, _, _ in shown)
    assert (table.route, table.cost, table.table.cells) == ("algebra", None, len(shown))
    assert table.table.by == ("city", "sex")
    assert table.group == alone[1].group
    assert table.guarantee == alone[1].guarantee
    assert all(r.joint[0] <= r.interval[0] for r in table.table.rows)


async def test_a_select_is_the_table_that_its_fields_ask_for(steps):
    """Arranged for who asked, of the same whole."""
    clauses = "GROUP BY city HAVING COUNT(*) >= 0 ORDER BY city DESC LIMIT 2;"
    sql = f"SELECT city, COUNT(*) FROM {steps.world.schema.name} {clauses}"  # noqa: S608
    fields = {"having": {"ge": 0}, "order_by": ("-city",), "limit": 2}

    whole, one, two = await steps.answer(
        grouped("", "city"), ask(sql), grouped("", "city", **fields)
    )

    assert one == two
    assert rows(one) == rows(whole)[:-3:-1]
    assert (one.count, one.table.cells) == (whole.count, whole.table.cells)


async def test_what_no_algebra_holds_is_passed_on_whole(steps):
    """With its attributes, its arrangement and its terms; one question, not many."""
    [] = await steps.answer(
        grouped(FEMALE, "job", "city", having={"ge": 3}, order_by=("-count",), limit=4)
    )

    [sent] = steps.out.on(TOPICS.fresh)
    condition = parse(steps.world.schema, FEMALE)
    key = GroupedQuery.of(condition, ["city", "job"]).key
    assert sent.key == sent.event.key == key
    assert sent.event.query == condition.to_wire()
    assert sent.event.by == ("job", "city")
    assert sent.event.arrangement == Arrangement(
        having={"ge": 3}, order_by=("-count",), limit=4
    )


async def test_bounds_of_sql_that_no_message_holds_let_the_same_rows_through(steps):
    """10^30 is no number of a message: passed on, nobody could read or answer it."""
    name, large = steps.world.schema.name, 10**30
    bounds = f"HAVING COUNT(*) < {large} AND COUNT(*) > -{large} LIMIT {large}"
    sql = f"SELECT job, city, COUNT(*) FROM {name} GROUP BY job, city {bounds}"  # noqa: S608

    [] = await steps.answer(ask(sql))

    [sent] = steps.out.on(TOPICS.fresh)
    again = decode(FreshCountAsked, msgspec.json.encode(sent.event))
    having = {"lt": 2**63 - 1, "gt": 1 - 2**63}
    assert again.arrangement == Arrangement(having=having, limit=4_096)


async def test_a_table_that_was_paid_for_is_told_to_everybody(steps):
    """From its memo, in whatever order it is asked; and so is each of its rows."""
    paid = await table_of(steps.curator, "job", "city", client="bob")
    city, job = paid.table.rows[0].levels[1], paid.table.rows[0].levels[0]

    alone, table, sure = await steps.answer(
        grouped("", "city", "job", order_by=("-count",), limit=1),
        grouped("", "job", "city", confidence=0.9999),
        ask(f"job = '{job}' AND city = '{city}'"),
    )

    assert (table.route, table.cost, table.count) == ("memo", None, paid.count)
    assert table.table.by == ("city", "job")
    assert table.table.rows[0].count == max(row.count for row in paid.table.rows)
    assert rows(sure) == rows(paid)
    assert sure.interval[1] > paid.interval[1]
    assert (alone.count, alone.route) == (paid.table.rows[0].count, "memo")
    assert steps.out.on(TOPICS.fresh) == []


async def test_a_table_is_logged_once(steps):
    """As one question on its condition, with its attributes; never row by row."""
    await steps.answer(
        grouped(FEMALE, "city"),
        grouped(FEMALE, "city", limit=1),
        ask(FEMALE),
    )

    logged = {e.event.key: e.event for e in steps.out.on(TOPICS.query_log)}
    table = GroupedQuery.of(parse(steps.world.schema, FEMALE), ["city"])
    assert len(logged) == len(steps.out.on(TOPICS.query_log)) == 2
    assert (logged[table.key].times, logged[table.key].by) == (2, ("city",))
    assert logged[table.key].attributes == ("sex", "city")
    assert logged[table.key].query == table.condition.to_wire()


async def test_confidence_and_error_hold_for_each_row(steps):
    """Intervals at the confidence that was asked for; too exact is not known here."""
    plain, sure, close = await steps.answer(
        grouped("", "city"),
        grouped("", "city", confidence=0.999),
        grouped("", "city", error=1e6),
    )
    [*more] = await steps.answer(grouped("", "city", error=1e-6))

    assert (sure.confidence, sure.count) == (0.999, plain.count)
    for narrow, wide in zip(plain.table.rows, sure.table.rows, strict=True):
        assert wide.interval[1] >= narrow.interval[1]
        assert wide.joint[1] > narrow.joint[1]
    assert rows(close) == rows(plain)
    assert len(more) == 3
    assert len(steps.out.on(TOPICS.fresh)) == 1


async def test_nobody_can_be_surer_than_floats_can_say(steps):
    """A part in 4,096 of what may be missed would be lost, and the worker with it."""
    plain = grouped("", "city").value.decode()[:-1]
    sure, lost = (f'{plain}, "confidence": {c}}}' for c in (1 - 1e-9, 1 - 1e-15))

    refused, answer = await steps.answer(
        MemoryRecord(sure.encode()), MemoryRecord(lost.encode())
    )

    assert (answer.status, answer.confidence) == ("ok", 1 - 1e-9)
    assert (refused.status, refused.error.code) == ("invalid", "invalid_message")


async def test_a_table_of_nothing_has_no_rows(steps):
    """It counts 0, exactly, as the empty set does."""
    [answer] = await steps.answer(grouped("sex = 'F' AND sex = 'M'", "city"))

    assert (answer.count, answer.interval, answer.table.rows) == (0, (0, 0), ())
    assert answer.guarantee.micro_epsilon == 0


@pytest.mark.parametrize(
    ("where", "by", "more", "words"),
    [
        ("", ["citty"], {}, "Did you mean 'city'"),
        ("", ["city", "city"], {}, "twice"),
        ("", [], {"limit": 3}, "are of tables"),
        ("SELECT city, COUNT(*) FROM t GROUP BY city", ["sex"], {}, "dataset"),
    ],
)
async def test_a_table_without_meaning_is_answered_invalid(
    steps, where, by, more, words
):
    """With words that help."""
    [answer] = await steps.answer(grouped(where, *by, **more))

    assert answer.status == "invalid"
    assert words in answer.error.message


@pytest.mark.parametrize("name", ["by", "max_cost", "limit"])
async def test_a_key_that_stands_twice_is_refused(steps, name):
    """Which of the two was meant, or may be spent, cannot be known."""
    value = json.dumps({"request_id": "r", "client": "c", "where": ""})[:-1]
    said = "[]" if name == "by" else "1"
    twice = f'{value}, "{name}": {said}, "{name}": {said}}}'

    [answer] = await steps.answer(MemoryRecord(twice.encode()))

    assert (answer.status, answer.error.code) == ("invalid", "invalid_message")
