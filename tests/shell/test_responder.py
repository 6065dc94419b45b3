"""The responder: every question is answered, passed on, or buried; none is lost."""

from __future__ import annotations

import asyncio
import dataclasses
import time

import pytest
from prometheus_client import CollectorRegistry

from config.metrics import Dials
from sigmacount.language import parse
from store.released import Released
from streams.dead_letters.writer import DeadLetters
from streams.wire.events import QueryAsked
from streams.wire.topics import Topics
from tests.fixtures.curator_steps import World, asking, group
from tests.fixtures.in_memory import (
    MemoryConsumer,
    MemoryPublisher,
    MemoryRecord,
    memory_record,
)
from tests.fixtures.until import eventually
from workers.responder import Responder, ResponderOptions

pytestmark = pytest.mark.redis

TOPICS = Topics.named("t.", 1)
FEMALE = "sex = 'F'"
TTL = 60.0


@dataclasses.dataclass
class Desk:
    """A responder in the middle of its trays."""

    world: World
    reign: object
    out: MemoryPublisher
    tray: MemoryConsumer

    @classmethod
    async def of(cls, redis, keys, *groups):
        """One that answers from an epoch of these groups."""
        world = World.of(redis, keys)
        await world.change(ada=("F", "Oslo", "cook"), bob=("M", "Rome", "cook"))
        reign = await world.reign()
        if groups:
            found = [group(world.schema, *names) for names in groups]
            await reign.tick(*found, version=1)
        return cls(world, reign, MemoryPublisher(), MemoryConsumer())

    async def hand(self, *letters, most=1_000):
        """The results of one batch of questions."""
        responder = Responder(
            self.world.schema,
            Released(self.world.redis, self.world.keys),
            TOPICS,
            self.out,
            DeadLetters(self.out, TOPICS.dead_letters, "responder", ratio=0.9),
            lambda *_: self.tray,
            ResponderOptions(0.95, TTL, most),
            Dials(CollectorRegistry()),
        )
        stop, head = asyncio.Event(), await self.reign.released.head()
        working = asyncio.create_task(responder.run(stop))
        epoch = head.epoch if head else None
        await eventually(lambda: responder.describe() == {"epoch": epoch})
        end = self.tray.lay(*letters)
        await eventually(lambda: self.tray.committed == end or working.done())
        stop.set()
        await working
        return [each.event for each in self.out.on(TOPICS.results)]


def ask(where, request="r", client="ada", *headers, **about):
    """A question on its way."""
    event = QueryAsked(request_id=request, client=client, where=where)
    return memory_record(event, *headers, **about)


@pytest.fixture
async def desk(redis, keys):
    """Sex is in an algebra, cities are not."""
    return await Desk.of(redis, keys, ["sex"])


async def test_a_question_inside_an_algebra_is_answered(desk):
    """To who asked, under the request's key, at no cost."""
    [answer] = await desk.hand(ask(FEMALE, "r7", "ada"))

    assert (answer.request_id, answer.client, answer.status) == ("r7", "ada", "ok")
    assert (answer.route, answer.spent_micro_epsilon) == ("algebra", 0)
    assert desk.out.on(TOPICS.results)[0].key == "r7"


@pytest.mark.parametrize(
    "where", ["NOT sex = 'M'", "sex IN ('F')", {"sex": ["F"]}, " sex='F'  "]
)
async def test_the_same_set_has_the_same_answer(desk, where):
    """However it is spelled."""
    one, two = await desk.hand(ask(FEMALE), ask(where))

    assert one == two


async def test_the_correlation_header_is_echoed_byte_for_byte(desk):
    """Also where it is no text, and on an error; and none is made up."""
    raw = bytes(range(256))
    header = ("kafka_correlationId", raw)

    await desk.hand(ask(FEMALE, "a", "ada", header), ask("age =", "b", "ada", header))
    await desk.hand(ask(FEMALE, "c"))

    echoed = [list(each.headers) for each in desk.out.on(TOPICS.results)]
    assert echoed == [[header], [header], []]


async def test_what_no_algebra_holds_is_passed_on_whole(desk):
    """The curator learns who asked, what, when, and what to echo."""
    await desk.hand(ask("city = 'Oslo'", "r9", "ada", ("kafka_correlationId", b"\xff")))

    [sent] = desk.out.on(TOPICS.fresh)
    query = parse(desk.world.schema, "city = 'Oslo'")
    assert sent.key == sent.event.key == query.key
    assert (sent.event.request_id, sent.event.client) == ("r9", "ada")
    assert sent.event.correlation == b"\xff"
    assert sent.event.query == query.to_wire()
    assert desk.out.on(TOPICS.results) == []


async def test_a_memo_of_this_epoch_is_told_at_once(desk):
    """What the curator told one, everybody hears from the responder."""
    [fresh] = await desk.reign.ask(asking(desk.world.schema, "city = 'Oslo'", "bob"))

    [answer] = await desk.hand(ask("NOT city IN ('Paris', 'Rome')", "r1", "ada"))

    assert (answer.count, answer.route) == (fresh.count, "memo")
    assert (answer.client, answer.spent_micro_epsilon) == ("ada", 0)


async def test_a_memo_of_an_earlier_epoch_is_not_told(desk):
    """It would not fit the other answers of this epoch."""
    await desk.reign.ask(asking(desk.world.schema, "city = 'Oslo'", "bob"))
    await desk.world.change(cleo=("F", "Oslo", "nurse"))
    await desk.reign.tick()

    assert await desk.hand(ask("city = 'Oslo'")) == []
    assert len(desk.out.on(TOPICS.fresh)) == 1


async def test_before_the_first_epoch_questions_wait_at_the_curator(redis, keys):
    """Nothing is released, so nothing can be said."""
    desk = await Desk.of(redis, keys)

    assert await desk.hand(ask(FEMALE)) == []
    assert len(desk.out.on(TOPICS.fresh)) == 1


async def test_a_question_without_meaning_is_answered_invalid(desk):
    """With words that help, and without entering the query log."""
    [answer] = await desk.hand(ask("sexx = 'F'", "r3"))

    assert (answer.request_id, answer.status, answer.count) == ("r3", "invalid", None)
    assert "sex" in answer.error.message
    assert desk.out.on(TOPICS.query_log) == []


async def test_a_question_that_waited_too_long_is_answered_expired(desk):
    """Its answer would surprise; it is neither passed on nor logged."""
    old = int((time.time() - TTL - 5) * 1000)

    [answer] = await desk.hand(ask(FEMALE, "r4", timestamp=old))

    assert (answer.request_id, answer.status) == ("r4", "expired")
    assert "clock" in answer.error.message
    assert desk.out.on(TOPICS.query_log) == desk.out.on(TOPICS.fresh) == []


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
async def test_what_is_no_question_is_buried_and_the_next_is_answered(desk, value):
    """The original bytes, key and headers, and why; nobody would know an answer."""
    bad = MemoryRecord(value, key=b"k", headers=[("x", b"y")])

    [answer] = await desk.hand(bad, ask(FEMALE, "next"))

    [letter_] = desk.out.on(TOPICS.dead_letters)
    assert answer.request_id == "next"
    assert (letter_.key, letter_.event) == (b"k", value)
    assert letter_.headers[0] == ("x", b"y")
    assert ("sigma.reason", b"not_a_query") in letter_.headers


async def test_the_log_has_one_record_a_query_client_and_batch(desk):
    """How often, by whom, by which route; never an answer."""
    await desk.hand(
        ask(FEMALE, "1", "ada"),
        ask("NOT sex = 'M'", "2", "ada"),
        ask(FEMALE, "3", "bob"),
        ask("city = 'Oslo'", "4", "ada"),
        ask("city = 'Oslo'", "5", "ada"),
    )

    logged = [each.event for each in desk.out.on(TOPICS.query_log)]
    city, sex = (
        parse(desk.world.schema, text).key for text in ("city = 'Oslo'", FEMALE)
    )
    assert {(e.key, e.client, e.times, e.route) for e in logged} == {
        (sex, "ada", 2, "algebra"),
        (sex, "bob", 1, "algebra"),
        (city, "ada", 2, "fresh"),
    }
    assert len(logged) == 3
    assert {e.attributes for e in logged} == {("sex",), ("city",)}


async def test_the_log_never_holds_an_answer(desk):
    """Its words are counted here, so that a new one is looked at."""
    await desk.hand(ask(FEMALE))

    [sent] = desk.out.on(TOPICS.query_log)
    words = " ".join(sorted(sent.event.__struct_fields__))
    assert words == "attributes client key query route times ts_ms v"


async def test_a_full_cache_of_texts_forgets_and_goes_on(desk):
    """Memory is bounded by the operator's knob."""
    texts = [FEMALE + " " * n for n in range(7)]

    answers = await desk.hand(*(ask(text) for text in texts), most=2)

    assert [each.count for each in answers] == [answers[0].count] * len(texts)


async def test_answers_from_a_frozen_release_say_so(desk):
    """They are as good as before, and will not follow the rows any more."""
    await desk.reign.released.freeze(desk.world.tokens, 1, "budget_exhausted")

    [answer] = await desk.hand(ask(FEMALE))

    assert answer.frozen
