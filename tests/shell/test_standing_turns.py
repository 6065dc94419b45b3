"""Turns of standing questions, one by one: what is dealt, and what is not."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import CollectorRegistry

from config.logs import Log
from config.metrics import Metrics
from sigmacount.domain import Schema
from streams.dead_letters.writer import DeadLetters
from streams.wire.messages.events import QueryAnswered, QueryAsked
from tests.fixtures.curator_steps import ATTRIBUTES
from tests.fixtures.in_memory import MemoryPublisher, standing_in
from tests.fixtures.responder_steps import FEMALE, TOPICS
from tests.fixtures.standing import FEW, MemoryStandingTopic, standing
from workers.answering.asking.questions import QuestionReader
from workers.running.intake import Intake
from workers.running.retrying import Retrier
from workers.standing import standing_turns, turns


class Turns:
    """Turns whose answers are a test's, of the epoch that it says."""

    def __init__(self):
        self.topic, self.stop = MemoryStandingTopic(), asyncio.Event()
        self.dealt, self.of_epoch = [], None
        metrics = Metrics(CollectorRegistry())
        dead = DeadLetters(standing_in(MemoryPublisher()), TOPICS.dead_letters, "r")
        intake = Intake(QueryAsked, "not_a_query", dead, metrics)
        reader = QuestionReader(Schema("people", ATTRIBUTES), intake, 60.0, 10)
        retry = Retrier("responder", Log("test"), metrics)
        self.turns = standing_turns(
            self.topic.consumers, reader, dead, FEW, retry, metrics
        )
        self.turns.begin(self.stop)

    async def turn(self, epoch, times=1):
        """Names that are dealt, turn by turn."""
        found = []
        for _ in range(times):
            await asyncio.sleep(0)
            self.dealt = []
            await self.turns.turn(epoch, self._answer, self.stop)
            found.append(self.dealt)
        return found if times > 1 else found[0]

    async def _answer(self, asked):
        self.dealt += [each.reply_to.name for each in asked]
        for each in asked:
            of = dict.fromkeys(("request_id", "client"), "")
            each.answer = each.answer or QueryAnswered(
                **of, status="ok", route="algebra", epoch=self.of_epoch
            )


@pytest.fixture
async def dealer(monkeypatch):
    """It looks at the topic in every turn."""
    monkeypatch.setattr(turns, "LOOK_SECONDS", 0)
    made = Turns()
    await asyncio.sleep(0.01)
    yield made
    await made.turns.close()


async def all_known(dealer):
    """Five stand, two batches and a bit; all have had their first answer."""
    dealer.topic.add(*(standing(f"a{i}", FEMALE) for i in range(3)))
    dealer.topic.add(*(standing(f"b{i}", FEMALE, "bob") for i in range(2)))
    await dealer.turn(1, times=6)
    assert dealer.topic.accepted == 5


async def test_a_turn_is_two_questions_and_nobody_waits_for_others_meanwhile(dealer):
    """Until all have had theirs."""
    await all_known(dealer)

    assert await dealer.turn(2) == ["a0", "a1"]
    assert dealer.turns.patience == 0
    assert await dealer.turn(2, times=3) == [["a2", "b0"], ["b1"], []]
    assert dealer.turns.patience > 0


async def test_what_is_ended_while_its_turn_is_waited_for_has_none(dealer):
    """Its place in the queue is passed over."""
    await all_known(dealer)
    await dealer.turn(2)

    dealer.topic.end("a2")

    assert await dealer.turn(2) == ["b0", "b1"]


async def test_an_epoch_that_passes_in_the_middle_is_skipped(dealer):
    """Those that had no turn in it begin with the next one."""
    await all_known(dealer)

    assert await dealer.turn(2) == ["a0", "a1"]
    assert await dealer.turn(3, times=3) == [["a0", "a1"], ["a2", "b0"], ["b1"]]


async def test_an_answer_of_the_next_epoch_already_is_not_given_twice(dealer):
    """The epoch may be replaced while a turn is answered."""
    await all_known(dealer)
    dealer.of_epoch = 3

    assert await dealer.turn(2) == ["a0", "a1"]
    assert await dealer.turn(3, times=3) == [["a2", "b0"], ["b1"], []]


async def test_before_there_is_an_epoch_nothing_is_dealt_or_accepted(dealer):
    """It waits in the topic; whoever takes over finds it new."""
    dealer.topic.add(standing("early", FEMALE, every=7))

    assert await dealer.turn(None, times=2) == [[], []]
    assert dealer.topic.accepted == 0
    assert await dealer.turn(1) == ["early"]
    await dealer.turn(1)
    assert dealer.topic.accepted == 1


async def test_a_table_stands_like_a_count(dealer):
    """With all that is asked of it, at no cost."""
    asked = standing("cities", by=("city",), having={"ge": 3}, limit=2, confidence=0.9)
    dealer.topic.add(asked)
    questions = []

    async def keep(asked):
        questions.extend(asked)

    await dealer.turns.turn(1, keep, dealer.stop)

    [question] = questions
    assert question.meaning.grouped is not None
    assert question.meaning.arrangement.limit == 2
    assert (question.terms.max_cost, question.terms.confidence) == (0, 0.9)
