"""The responder: every question is answered, passed on, or buried; none is lost."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from sigmacount.language import parse
from streams.wire.messages.events import QueryAsked
from tests.fixtures.curator_steps import asking
from tests.fixtures.in_memory import MemoryRecord, memory_record
from tests.fixtures.responder_steps import FEMALE, TOPICS, TTL, ResponderSteps, ask

pytestmark = pytest.mark.redis


@pytest.fixture
async def steps(redis, keys):
    """Sex is in an algebra, cities are not."""
    return await ResponderSteps.of(redis, keys, ["sex"])


async def test_a_question_inside_an_algebra_is_answered(steps):
    """To who asked, under the request's key, at no cost."""
    [answer] = await steps.answer(ask(FEMALE, "r7", "ada"))

    assert (answer.request_id, answer.client, answer.status) == ("r7", "ada", "ok")
    assert (answer.route, answer.spent_micro_epsilon) == ("algebra", 0)
    assert steps.out.on(TOPICS.results)[0].key == "r7"


@pytest.mark.parametrize(
    "where", ["NOT sex = 'M'", "sex IN ('F')", {"sex": ["F"]}, " sex='F'  "]
)
async def test_the_same_set_has_the_same_answer(steps, where):
    """However it is spelled."""
    one, two = await steps.answer(ask(FEMALE), ask(where))

    assert one == two


async def test_the_correlation_header_is_echoed_byte_for_byte(steps):
    """Also where it is no text, and on an error; and none is made up."""
    raw = bytes(range(256))
    header = ("kafka_correlationId", raw)

    await steps.answer(
        ask(FEMALE, "a", "ada", header), ask("age =", "b", "ada", header)
    )
    await steps.answer(ask(FEMALE, "c"))

    echoed = [each.echoed for each in steps.out.on(TOPICS.results)]
    assert echoed == [[header], [header], []]


async def test_what_no_algebra_holds_is_passed_on_whole(steps):
    """The curator learns who asked, what, when, and what to echo."""
    await steps.answer(
        ask("city = 'Oslo'", "r9", "ada", ("kafka_correlationId", b"\xff"))
    )

    [sent] = steps.out.on(TOPICS.fresh)
    query = parse(steps.world.schema, "city = 'Oslo'")
    assert sent.key == sent.event.key == query.key
    assert (sent.event.request_id, sent.event.client) == ("r9", "ada")
    assert sent.event.correlation == b"\xff"
    assert sent.event.query == query.to_wire()
    assert steps.out.on(TOPICS.results) == []


async def test_a_memo_of_this_epoch_is_told_at_once(steps):
    """What the curator told one, everybody hears from the responder."""
    [fresh] = await steps.curator.ask(
        asking(steps.world.schema, "city = 'Oslo'", "bob")
    )

    [answer] = await steps.answer(ask("NOT city IN ('Paris', 'Rome')", "r1", "ada"))

    assert (answer.count, answer.route) == (fresh.count, "memo")
    assert (answer.client, answer.spent_micro_epsilon) == ("ada", 0)


async def test_a_memo_of_an_earlier_epoch_is_not_told(steps):
    """It would not fit the other answers of this epoch."""
    await steps.curator.ask(asking(steps.world.schema, "city = 'Oslo'", "bob"))
    await steps.world.change(cleo=("F", "Oslo", "nurse"))
    await steps.curator.tick()

    assert await steps.answer(ask("city = 'Oslo'")) == []
    assert len(steps.out.on(TOPICS.fresh)) == 1


async def test_before_the_first_epoch_questions_wait_at_the_curator(redis, keys):
    """Nothing is released, so nothing can be said."""
    steps = await ResponderSteps.of(redis, keys)

    assert await steps.answer(ask(FEMALE)) == []
    assert len(steps.out.on(TOPICS.fresh)) == 1


async def test_a_question_without_meaning_is_answered_invalid(steps):
    """With words that help, and without entering the query log."""
    [answer] = await steps.answer(ask("sexx = 'F'", "r3"))

    assert (answer.request_id, answer.status, answer.count) == ("r3", "invalid", None)
    assert "sex" in answer.error.message
    assert steps.out.on(TOPICS.query_log) == []


async def test_a_question_that_waited_too_long_is_answered_expired(steps):
    """Its answer would surprise; it is neither passed on nor logged."""
    old = int((time.time() - TTL - 5) * 1000)

    [answer] = await steps.answer(ask(FEMALE, "r4", timestamp=old))

    assert (answer.request_id, answer.status) == ("r4", "expired")
    assert "clock" in answer.error.message
    assert steps.out.on(TOPICS.query_log) == steps.out.on(TOPICS.fresh) == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        b"",
        b"{",
        b"\xff\xfe",
        b"[1]",
        b'{"client": "c"}',
        b'{"request_id": null, "client": "c"}',
        b'{"request_id": "%s", "client": "c"}' % (b"x" * 300),
    ],
)
async def test_what_is_no_question_is_buried_and_the_next_is_answered(steps, value):
    """The original bytes, key and headers, and why; nobody would know an answer."""
    bad = MemoryRecord(value, key=b"k", headers=[("x", b"y")])

    [answer] = await steps.answer(bad, ask(FEMALE, "next"))

    [letter_] = steps.out.on(TOPICS.dead_letters)
    assert answer.request_id == "next"
    assert (letter_.key, letter_.event) == (b"k", value)
    assert letter_.headers[0] == ("x", b"y")
    assert ("sigma.reason", b"not_a_query") in letter_.headers


async def test_the_log_has_one_record_a_query_client_and_batch(steps):
    """How often, by whom, by which route; never an answer."""
    await steps.answer(
        ask(FEMALE, "1", "ada"),
        ask("NOT sex = 'M'", "2", "ada"),
        ask(FEMALE, "3", "bob"),
        ask("city = 'Oslo'", "4", "ada"),
        ask("city = 'Oslo'", "5", "ada"),
    )

    logged = [each.event for each in steps.out.on(TOPICS.query_log)]
    city, sex = (
        parse(steps.world.schema, text).key for text in ("city = 'Oslo'", FEMALE)
    )
    assert {(e.key, e.client, e.times, e.route) for e in logged} == {
        (sex, "ada", 2, "algebra"),
        (sex, "bob", 1, "algebra"),
        (city, "ada", 2, "fresh"),
    }
    assert len(logged) == 3
    assert {e.attributes for e in logged} == {("sex",), ("city",)}


async def test_a_price_is_asked_of_the_curator_and_is_no_question_to_the_planner(steps):
    """Whether an algebra holds it or not: what is left of a quota is not known here."""
    whole = QueryAsked(request_id="1", client="ada", where=FEMALE, price=True)
    fresh = replace(whole, where="city = 'Oslo'", error=5.0)

    answers = await steps.answer(memory_record(whole), memory_record(fresh))

    passed = [each.event.terms for each in steps.out.on(TOPICS.fresh)]
    assert (answers, steps.out.on(TOPICS.query_log)) == ([], [])
    assert [(t.price, t.error) for t in passed] == [(True, None), (True, 5.0)]


async def test_the_log_never_holds_an_answer(steps):
    """Its words are counted here, so that a new one is looked at."""
    await steps.answer(ask(FEMALE))

    [sent] = steps.out.on(TOPICS.query_log)
    words = " ".join(sorted(sent.event.__struct_fields__))
    assert words == "attributes by client key query route times ts_ms v"


async def test_a_full_cache_of_texts_forgets_and_goes_on(steps):
    """Memory is bounded by the operator's setting."""
    texts = [FEMALE + " " * n for n in range(7)]

    answers = await steps.answer(*(ask(text) for text in texts), most=2)

    assert [each.count for each in answers] == [answers[0].count] * len(texts)


async def test_answers_from_a_frozen_release_say_so(steps):
    """They are as good as before, and will not follow the rows any more."""
    await steps.curator.released.freeze(steps.world.tokens, 1, "budget_exhausted")

    [answer] = await steps.answer(ask(FEMALE))

    assert answer.frozen
