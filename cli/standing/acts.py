"""What `sigma standing` does, over one session or off the topic."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from cli import terminal
from cli.asking import asked, typed
from cli.asking.ask import CODES
from cli.exits import CommandRefused
from config.exit_codes import Exit
from sigmaclient import Answer, NamedQuestion, NoAnswer, Question, Session
from sigmaclient.question import Options
from sigmaclient.sessions.standing import standing_questions
from views.asking import standing as shown
from workers import clients


class Chosen(NamedTuple):
    """Who asks, and which broker."""

    client: str
    kafka: dict[str, object]

    def session(self) -> Session:
        """A session that is not open yet."""
        settings = clients.load_kafka(**self.kafka)
        return Session(
            settings.bootstrap,
            client=self.client,
            prefix=settings.prefix,
            **clients.aiokafka_settings(settings),
        )


def named(
    chosen: Chosen, name: str, where: str, given: Options, every: int
) -> NamedQuestion:
    """The question as it was typed.

    Raises:
        CommandRefused: it cannot stand; nothing was sent.
    """
    question = Question(typed.condition(where), **given)
    wanted = NamedQuestion(chosen.client, name, question, every)
    try:
        wanted.event()
    except ValueError as error:
        msg = f"{error}; nothing was sent"
        raise CommandRefused(msg) from None
    return wanted


def add(
    chosen: Chosen, wanted: NamedQuestion, timeout: float, *, as_json: bool
) -> Exit:
    """Send it, and show its first answer.

    Raises:
        NoAnswer: none came in time; it stands all the same.
    """
    answer = asyncio.run(_added(chosen, wanted, timeout))
    asked.show(answer, None, None, as_json=as_json)
    return CODES[answer.status]


async def _added(chosen: Chosen, wanted: NamedQuestion, timeout: float) -> Answer:
    async with chosen.session() as session:
        answers = await session.stand(wanted.name, wanted.question, every=wanted.every)
        try:
            async with asyncio.timeout(timeout):
                return await anext(answers)
        except TimeoutError as error:
            raise NoAnswer(timeout) from error


def remove(chosen: Chosen, name: str) -> None:
    """End a question."""
    asyncio.run(_removed(chosen, name))


async def _removed(chosen: Chosen, name: str) -> None:
    async with chosen.session() as session:
        await session.end_standing(name)


async def show(kafka: dict[str, object], whose: str | None, *, as_json: bool) -> None:
    """What stands, of one client or of all."""
    settings = clients.load_kafka(**kafka)
    protection: dict[str, Any] = clients.aiokafka_settings(settings)
    found = await standing_questions(
        settings.bootstrap, clients.topics(settings), **protection
    )
    mine = [each for each in found if whose in (None, each.client)]
    if as_json:
        for each in mine:
            terminal.print_json(shown.as_dict(each))
    else:
        terminal.console().print(shown.listed(mine))
