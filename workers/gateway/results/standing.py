"""Standing: what stands of a client, and the records that make and end it.

A client's questions stand under keys that begin with its own name, so nobody's are made
or ended by somebody else.
"""

from __future__ import annotations

from typing import Final

from sigmacount.errors import Mismatch
from streams.clients.publisher import Publisher
from streams.wire.messages.events import Name
from streams.wire.messages.standing import StandingQuestion, standing_key
from streams.wire.topics import Topics
from workers.gateway.refusals import (
    invalid,
    not_granted,
    too_many_standing,
    unconfirmed,
)
from workers.gateway.results.heard import Heard
from workers.gateway.results.sending import sent_within

MOST_OF_ONE: Final = 100  # questions of one client that a gateway makes to stand
NO_NAME: Final = "a standing question has a name, without a slash"


class StandingActs:
    """Makes questions stand, and ends them, in the name of who holds the token."""

    def __init__(self, publisher: Publisher, topics: Topics, heard: Heard) -> None:
        self._publisher, self._topic, self.heard = publisher, topics.standing, heard

    def of(self, client: Name) -> tuple[StandingQuestion, ...]:
        """What stands of this client, by name, as far as the topic is read here."""
        return self.heard.stood.of(client)

    async def stand(self, question: StandingQuestion, seconds: float) -> None:
        """It is answered from here on; another of its name is replaced.

        Raises:
            RequestRefused: too many stand, the broker is silent for so long, or the
                topic is not granted.
        """
        names = {each.name for each in self.of(question.client)}
        if question.name not in names and len(names) >= MOST_OF_ONE:
            raise too_many_standing(MOST_OF_ONE)
        await self._put(question.key, question, seconds)
        self.heard.made(question)

    async def end(self, client: Name, name: Name, seconds: float) -> None:
        """It is answered no more; nothing happens where none has the name.

        A slash in a name would reach the questions of another client.

        Raises:
            RequestRefused: as above, or it is no name.
        """
        if not name or "/" in name:
            raise invalid(NO_NAME)
        await self._put(standing_key(client, name), None, seconds)
        self.heard.ended(client, name)

    async def _put(
        self, key: str, event: StandingQuestion | None, seconds: float
    ) -> None:
        try:
            sent = await sent_within(self._sent(key, event), seconds)
        except Mismatch:
            raise not_granted() from None
        if not sent:
            raise unconfirmed()

    async def _sent(self, key: str, event: StandingQuestion | None) -> None:
        await self._publisher.send(self._topic, key, event)
        await self._publisher.flush()
