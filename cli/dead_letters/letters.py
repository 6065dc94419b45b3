"""The dead letters of a deployment: chosen, read, sent once more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from cli.options import ChosenSettings
from config.servers import Kafka
from streams.dead_letters import reader
from streams.dead_letters.reader import DeadLetter
from workers import clients


@dataclass(frozen=True, slots=True)
class Filter:
    """Which letters are meant; None means any.

    Attributes:
        reason: stable word, such as ``outside_levels``.
        attribute: the one at fault.
        replayed: letters that were sent once more are meant, too.
    """

    reason: str | None = None
    attribute: str | None = None
    replayed: bool = False

    def holds(self, letter: DeadLetter) -> bool:
        """Whether this letter is meant."""
        return (
            self.reason in {None, letter.reason}
            and self.attribute in {None, letter.attribute}
            and (self.replayed or not letter.replayed)
        )


class StoredLetters:
    """The letters of the settings' broker."""

    def __init__(self, given: ChosenSettings) -> None:
        self._kafka: Kafka = clients.load_kafka(**given.get("kafka", {}))
        self._topic = clients.topics(self._kafka).dead_letters

    def read(self, choice: Filter) -> list[DeadLetter]:
        """The letters that are meant, oldest first."""
        settings = clients.aiokafka_settings(self._kafka)
        found = asyncio.run(reader.read(self._kafka.bootstrap, self._topic, settings))
        return [letter for letter in found if choice.holds(letter)]

    def replay(self, chosen: Sequence[DeadLetter]) -> int:
        """Send them to where they came from, each once; how many."""
        settings = clients.kafka_python_settings(self._kafka)
        return reader.replay(self._kafka.bootstrap, self._topic, chosen, settings)
