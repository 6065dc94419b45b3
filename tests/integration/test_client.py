"""sigmaclient against a real broker: every question finds its own answer."""

import asyncio
import uuid
from contextlib import closing

import pytest
from kafka import KafkaProducer

from sigmaclient import (
    NoAnswer,
    NoCount,
    Question,
    Session,
)
from sigmacount.errors import StreamUnavailable
from streams.clients.batch_consumer import BatchConsumer
from streams.wire.messages.events import QueryAnswered
from streams.wire.topics import Topics
from tests.fixtures.echo_responder import to_json
from tests.fixtures.until import CEILING

GONE = "the broker went away"

pytestmark = [pytest.mark.kafka, pytest.mark.integration]


@pytest.fixture
def session(kafka, prefix):
    """A session of the team ``planning``, not yet open."""
    return Session(kafka.bootstrap, client="planning", prefix=prefix, timeout=CEILING)


def fill_with_old_answers(bootstrap: str, topics: Topics, number: int) -> None:
    """Answers that somebody else received earlier."""
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for _ in range(number):
        event = QueryAnswered(request_id=uuid.uuid4().hex, client="x", status="ok")
        key = event.request_id.encode()
        producer.send(topics.results.name, key=key, value=to_json(event))
    producer.close()


async def test_a_question_gets_its_answer(echo, session):
    """Everything the service said about it arrives as one value."""
    async with session:
        answer = await session.ask("age >= 60")

    assert answer.ok
    assert answer.require() == answer.count == len("age >= 60")
    assert answer.interval == (6, 12)
    assert (answer.route, answer.plan, answer.epoch) == ("algebra", 2, 7)
    assert answer.guarantee["rule"] == "fixed-noise"
    assert answer.client == "planning"


async def test_a_session_closes_though_a_cancellation_was_lost(session, monkeypatch):
    """As where the broker goes away in that very moment."""
    began = asyncio.Event()

    async def deaf(_reader):
        began.set()
        try:
            await asyncio.sleep(CEILING)
        except asyncio.CancelledError:
            raise StreamUnavailable(GONE) from None

    monkeypatch.setattr(BatchConsumer, "next_batch", deaf)
    await session.__aenter__()
    await asyncio.wait_for(began.wait(), CEILING)

    await asyncio.wait_for(session.close(), CEILING / 4)


async def test_the_question_is_keyed_by_its_client(echo, session):
    """The service learns who asks, and the text unchanged."""
    async with session:
        await session.ask({"age": {"ge": 60}})

    assert echo.asked[0].client == "planning"
    assert echo.asked[0].where == {"age": {"ge": 60}}


async def test_many_questions_in_flight_do_not_mix(echo, session):
    """500 at once: each future gets the answer to its own text."""
    texts = ["x" * n for n in range(500)]

    async with session:
        answers = await session.ask_all(texts)

    assert [answer.count for answer in answers] == list(range(500))
    assert session.in_flight == 0


async def test_a_refusal_is_an_answer(echo, session):
    """Nothing is raised until a count is required."""
    async with session:
        answer = await session.ask("refuse")

    assert not answer.ok
    assert answer.count is None
    with pytest.raises(NoCount, match=r"refused.*nothing is left") as refusal:
        answer.require()
    assert refusal.value.reason == "budget_exhausted"


async def test_silence_ends_at_the_timeout(echo, session):
    """NoAnswer is a TimeoutError, says it is safe to ask again, leaks nothing."""
    async with session:
        with pytest.raises(NoAnswer, match="safe") as silence:
            await session.ask("silence", timeout=0.3)
        after = await session.ask("still open")

    assert isinstance(silence.value, TimeoutError)
    assert after.ok
    assert session.in_flight == 0


async def test_old_answers_are_not_read(kafka, topics, echo, session, monkeypatch):
    """The session begins at the end that a fetch reports, not at ListOffsets'."""
    fill_with_old_answers(kafka.bootstrap, topics, 2000)
    heard = []
    monkeypatch.setattr(session, "_hear", lambda *record: heard.append(record))

    async with session:
        await asyncio.sleep(1)  # they would have come by now

    assert heard == []


async def test_no_answer_is_lost_at_the_start(kafka, topics, prefix, echo):
    """A question asked the moment a session is open is answered, ten times of ten."""
    fill_with_old_answers(kafka.bootstrap, topics, 300)
    answers = []

    for _ in range(10):
        async with Session(kafka.bootstrap, client="a", prefix=prefix) as session:
            answers.append(await session.ask("now", timeout=CEILING))

    assert [answer.count for answer in answers] == [3] * 10


@pytest.mark.parametrize(
    "value",
    [b"{", b"\xff", None, b'{"v":2,"request_id":"r","client":"c","status":"ok"}'],
    ids=["broken", "not text", "tombstone", "later version"],
)
async def test_what_is_no_answer_is_passed_over(kafka, topics, echo, session, value):
    """Bytes under a waiting request's key do no harm: the real answer still counts."""
    async with session:
        waiting = asyncio.create_task(session.ask("silence"))
        await asyncio.to_thread(echo.heard.wait, 10)
        request = echo.asked[0].request_id
        event = QueryAnswered(request_id=request, client="c", status="ok", count=5)
        with closing(KafkaProducer(bootstrap_servers=kafka.bootstrap)) as producer:
            for payload in (value, to_json(event)):
                producer.send(topics.results.name, key=request.encode(), value=payload)

        answer = await waiting

    assert answer.count == 5


async def test_closing_wakes_those_who_wait(echo, session):
    """A question in flight is cancelled with its session, not left hanging."""
    async with session:
        waiting = asyncio.create_task(session.ask("silence"))
        await asyncio.to_thread(echo.heard.wait, 10)

    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_two_sessions_do_not_share_answers(kafka, echo, prefix):
    """Each session hears all of its own answers: they are in no common group."""
    async with (
        Session(kafka.bootstrap, client="a", prefix=prefix, timeout=CEILING) as one,
        Session(kafka.bootstrap, client="a", prefix=prefix, timeout=CEILING) as two,
    ):
        answers = await asyncio.gather(
            one.ask_all(["x"] * 50), two.ask_all(["xy"] * 50)
        )

    assert [a.count for a in answers[0]] == [1] * 50
    assert [a.count for a in answers[1]] == [2] * 50


async def test_no_broker_is_said_at_once():
    """A wrong address names itself and the next step."""
    with pytest.raises(StreamUnavailable, match=r"127\.0\.0\.1:1 .*sigma topics check"):
        async with Session("127.0.0.1:1", client="a"):
            pass


async def test_no_topics_are_said_at_once(kafka):
    """A broker without our topics is not waited for until the question times out."""
    if kafka.kind == "embedded":
        pytest.skip("the embedded broker makes every topic that is asked for")

    with pytest.raises(StreamUnavailable, match=r"about 'nowhere\.results'"):
        async with Session(kafka.bootstrap, client="a", prefix="nowhere."):
            pass


async def test_asking_a_closed_session_is_a_fault_of_the_program(session):
    """Nothing waits for ever on a session that was never opened."""
    with pytest.raises(RuntimeError, match="async with"):
        await session.ask("age >= 60")


async def test_options_travel_with_their_question(echo, session):
    """Beside a condition, or in a question of its own; a table comes back as rows."""
    async with session:
        ages = await session.ask("sex = 'F'", by="age", max_cost=7)
        both = await session.ask_all([Question(price=True), "x"])

    assert [row.count for row in ages.table] == [100, 250, 4]
    assert ages.count == 354
    assert (both[0].quote.cost, both[1].count) == (20_000, 1)
    by_text = {str(each.where): each for each in echo.asked}
    assert (by_text["sex = 'F'"].by, by_text["sex = 'F'"].max_cost) == (("age",), 7)
    assert by_text[""].price
