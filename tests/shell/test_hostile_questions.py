"""Hostile questions: each has one outcome, and the next question is answered."""

from __future__ import annotations

import json
import time

import pytest

from sigmacount.language import parse
from tests.fixtures.curator_process import TOPICS as CURATOR_TOPICS
from tests.fixtures.curator_process import CuratorProcess, says
from tests.fixtures.curator_steps import World, asking, group
from tests.fixtures.in_memory import MemoryRecord, memory_record
from tests.fixtures.pace import a_loop
from tests.fixtures.responder_steps import FEMALE, TOPICS, ResponderSteps, ask
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

CORRELATION = "kafka_correlationId"
HEADER = (CORRELATION, b"\xff\x00")
DEEP = "[" * 15_000
NESTED = '{"request_id": "r", "client": "c", "where": %s}' % (DEEP + "]" * 15_000)


@pytest.fixture
async def steps(redis, keys):
    """Sex is in an algebra, cities are not."""
    return await ResponderSteps.of(redis, keys, ["sex"])


def asked(**fields):
    """A question with these fields instead of or beside its own."""
    return json.dumps({"request_id": "r", "client": "c"} | fields).encode()


@pytest.mark.parametrize(
    ("value", "client", "field", "words"),
    [
        (asked(where=None), "c", "where", "text or an object, not null"),
        (asked(where=["age"]), "c", "where", "not a list"),
        (asked(where="x" * 20_000), "c", "where", "longer than 16,384"),
        (asked(v=3), "c", "v", "must be 1"),
        (asked(client=None), "", "client", "must be text, not null"),
        (asked(client="c" * 300), "", "client", "longer than 256"),
        (b'{"request_id": "r"}', "", "client", "missing"),
        (NESTED.encode(), "c", None, "deeper than 64"),
        (NESTED.replace('"where"', '"new"').encode(), "c", None, "deeper than 64"),
        (b'{"request_id": "r", "client": "c", ', "c", None, "no JSON"),
        (b'{"request_id": "r", "client": "\xff"}', "", None, "no JSON"),
        (asked(new="x" * 2**20), "c", None, "longer than 1,048,576"),
        (b'{"where": "%s", "request_id": "r"' % (b"x" * 2**20), "", None, "longer"),
    ],
)
async def test_who_can_be_told_is_told_what_is_wrong(
    steps, value, client, field, words
):
    """By the request id that is in it; the dead letter says which field, too."""
    invalid, fine = await steps.answer(MemoryRecord(value), ask(FEMALE, "next"))

    assert (invalid.request_id, invalid.client) == ("r", client)
    assert (invalid.status, invalid.error.code) == ("invalid", "invalid_message")
    assert words in invalid.error.message
    assert (fine.request_id, fine.status) == ("next", "ok")
    [dead] = steps.out.on(TOPICS.dead_letters)
    assert dict(dead.headers).get("sigma.field") == (field and field.encode())
    assert dead.event == value


@pytest.mark.parametrize("value", [b"", b"\xff", b'{"client": "c"}', DEEP.encode()])
async def test_without_a_request_id_the_correlation_header_is_enough(steps, value):
    """Request-reply libraries look at nothing else."""
    [invalid] = await steps.answer(MemoryRecord(value, headers=[HEADER]))

    [sent] = steps.out.on(TOPICS.results)
    assert (invalid.request_id, invalid.status) == ("", "invalid")
    assert (sent.echoed, sent.key) == ([HEADER], None)


async def test_a_correlation_header_has_a_bound(steps):
    """It is echoed, so it may not be of any size; who asks is told by request id."""
    long = (CORRELATION, b"x" * 1_025)
    longest = (CORRELATION, b"x" * 1_024)

    refused, fine = await steps.answer(
        ask(FEMALE, "a", "ada", long), ask(FEMALE, "b", "ada", longest)
    )

    assert (refused.request_id, refused.status) == ("a", "invalid")
    assert "1,024" in refused.error.message
    assert [each.echoed for each in steps.out.on(TOPICS.results)] == [
        [],
        [longest],
    ]
    assert fine.status == "ok"


async def test_a_correlation_header_without_a_value_is_none(steps):
    """Kafka lets a header be null."""
    [answer] = await steps.answer(ask(FEMALE, "a", "ada", (CORRELATION, None)))

    assert (answer.status, steps.out.on(TOPICS.results)[0].echoed) == ("ok", [])


async def test_a_long_request_id_is_not_repeated(steps):
    """An answer that holds it could not be sent; nobody would know a shorter one."""
    [fine] = await steps.answer(
        MemoryRecord(asked(request_id="x" * 10**6)), ask(FEMALE, "n")
    )

    assert fine.request_id == "n"


@pytest.mark.parametrize("value", [None, b"", b"\xff", DEEP.encode(), NESTED.encode()])
async def test_the_curator_reads_on_behind_what_is_no_question_or_plan(
    redis, keys, value
):
    """On `fresh` and on `plans`: a dead letter each, and the next one is answered."""
    process = CuratorProcess(World.of(redis, keys))
    await process.world.change(ada=("F", "Oslo", "cook"))
    process.plans.add(MemoryRecord(value, topic=CURATOR_TOPICS.plans.name))
    process.propose(1, group(process.world.schema, "sex"))
    end = process.fresh.add(
        MemoryRecord(value, topic=CURATOR_TOPICS.fresh.name),
        memory_record(asking(process.world.schema, "city = 'Oslo'")),
    )

    async with process.running() as curator:
        await eventually(
            lambda: says(curator, plan=1) and process.fresh.committed == end
        )

    deleted = value is None  # a plan may be deleted, a question may not
    assert len(process.out.on(CURATOR_TOPICS.dead_letters)) == 2 - deleted
    assert process.out.on(CURATOR_TOPICS.results)[0].event.status == "ok"


async def test_parsing_a_long_question_takes_no_time(steps):
    """A pattern that looks at every pair of places would hold everybody up."""
    many = ",".join(f'"k{n}": 1' for n in range(70_000))
    twice = '{"request_id": "r", "client": "c", "where": {}, "new": {%s, "k69999": 1}}'
    texts = ["a" * 16_000, "a" * 8_000 + "<" + "b" * 7_000, '"' * 16_000, "[" * 16_000]
    began = time.process_time()

    questions = [ask(text, str(n)) for n, text in enumerate(texts)]
    answers = await steps.answer(MemoryRecord((twice % many).encode()), *questions)

    assert {each.status for each in answers} == {"invalid"}
    assert time.process_time() - began < 30 * a_loop()  # such a pattern took 25 each


TWICE = [
    b'{"request_id":"r","client":"c","where":{"sex":"F","sex":"M"}}',
    b'{"request_id":"r","client":"c","where":{"city":{"eq":"Oslo","eq":"Rome"}}}',
    b'{"request_id":"r","client":"c","where":{"sex":["F"]},"new":{"a":1,"a":2}}',
    b'{"request_id":"r","client":"c","where":"sex = \'F\'","where":"sex = \'M\'"}',
    b'{"request_id":"r","client":"c","where":"","wh\\u0065re":"sex = \'F\'"}',
]


@pytest.mark.parametrize("value", TWICE)
async def test_a_key_that_stands_twice_is_refused(steps, value):
    """Which of the two was meant cannot be known, so neither is answered."""
    invalid, fine = await steps.answer(MemoryRecord(value), ask(FEMALE, "next"))

    assert (invalid.request_id, invalid.status) == ("r", "invalid")
    assert "stands twice" in invalid.error.message
    assert fine.status == "ok"


async def test_one_key_may_stand_in_several_objects(steps):
    """And the word of the field may stand in a text."""
    values = [
        asked(where={"sex": {"eq": "F"}, "city": {"eq": "Oslo"}}),
        asked(where="sex = 'F'", client='"where"'),
    ]

    answers = await steps.answer(*map(MemoryRecord, values))

    assert "invalid" not in {each.status for each in answers}


@pytest.mark.parametrize("memo", [b"", b"\xff", b'{"v": 2}', b"[" * 15_000])
async def test_a_memo_that_cannot_be_read_is_none(steps, memo):
    """A newer curator may have written it: the question is passed on."""
    key = parse(steps.world.schema, "city = 'Oslo'").key
    released, head = steps.curator.released, await steps.curator.released.head()
    await released.memo_put(head.token, head.epoch, {key: memo})

    assert await steps.answer(ask("city = 'Oslo'")) == []
    assert len(steps.out.on(TOPICS.fresh)) == 1
