"""Questions of the demo: three teams, many in flight at the same time."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable

from cli.demo.census.simulated_rows import SimulatedRows
from cli.demo.questions.analysts import TEAMS, Segment, Team
from cli.demo.questions.histogram import Histogram, histogram
from cli.demo.questions.known_answers import Known
from sigmaclient import Session
from sigmaclient.answer import Answer
from sigmaclient.errors import NoAnswer
from sigmacount.domain import Schema
from sigmacount.language import parse
from sigmacount.sets import Query

IN_FLIGHT = 40  # questions of one team that wait at the same time
PATIENCE = 60.0  # seconds for one answer: a killed responder's share waits longest
AGAIN = 0.3  # seconds between two tries to be answered from the newest epoch
UNANSWERED = "unanswered"


class QuestionTraffic:
    """The analysts of the demo, each with a session of its own."""

    def __init__(self, bootstrap: str, prefix: str, seed: int) -> None:
        self._bootstrap, self._prefix = bootstrap, prefix
        self.teams = [Team(name, seed) for name in TEAMS]

    async def all_teams(self, each: int) -> Counter[str]:
        """Every team asks ``each`` questions; how they were answered, by route."""
        asked = [self._ask(team, each) for team in self.teams]
        routes: Counter[str] = Counter()
        for answers in await asyncio.gather(*asked):
            routes.update(map(_route, answers))
        return routes

    async def beside_the_truth(
        self, schema: Schema, rows: SimulatedRows, epoch: int
    ) -> list[Known]:
        """Every saved segment once more, with the count that only the demo knows.

        A responder learns of ``epoch`` a moment after it was published: what it says of
        an older one is asked again.
        """
        segments = self._segments(schema)
        words = [segment.plainly() for segment in segments.values()]
        answers = await self._answers("demo", words)
        until = time.monotonic() + PATIENCE
        while _older(answers, epoch) and time.monotonic() < until:
            await asyncio.sleep(AGAIN)
            answers = await self._answers("demo", words)
        pairs = zip(segments, words, answers, strict=True)
        return [
            Known(where, query, answer, rows.count(query))
            for query, where, answer in pairs
            if answer is not None
        ]

    async def histogram(self, schema: Schema, rows: SimulatedRows) -> Histogram | None:
        """A table, a price and a refusal, as one analyst asks for them."""
        async with self._session("demo") as session:
            return await histogram(session, schema, rows)

    def _segments(self, schema: Schema) -> dict[Query, Segment]:
        return {
            parse(schema, segment.plainly()): segment
            for team in self.teams
            for segment in team.saved
        }

    def _session(self, client: str) -> Session:
        return Session(
            self._bootstrap, client=client, prefix=self._prefix, timeout=PATIENCE
        )

    async def _ask(self, team: Team, each: int) -> list[Answer | None]:
        return await self._answers(team.name, (team.question() for _ in range(each)))

    async def _answers(
        self, client: str, questions: Iterable[str]
    ) -> list[Answer | None]:
        slots = asyncio.Semaphore(IN_FLIGHT)

        async def one(session: Session, where: str) -> Answer | None:
            async with slots:
                try:
                    return await session.ask(where)
                except NoAnswer:
                    return None

        async with self._session(client) as session:
            return await asyncio.gather(*(one(session, each) for each in questions))


def _route(answer: Answer | None) -> str:
    if answer is None:
        return UNANSWERED
    return answer.route or answer.error_code or answer.status


def _older(answers: Iterable[Answer | None], epoch: int) -> bool:
    """Whether any is of an epoch before."""
    epochs = [each.epoch for each in answers if each is not None]
    return any(each is not None and each < epoch for each in epochs)
