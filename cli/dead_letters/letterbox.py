"""Letterbox: the dead letters of a deployment, chosen, shown, sent once more."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from cli.options import Overrides
from config.servers import Kafka
from streams.dead_letters import reader
from streams.dead_letters.reader import DeadLetter
from views import show
from workers import clients


@dataclass(frozen=True, slots=True)
class Choice:
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


class Letterbox:
    """The letters of the settings' broker."""

    def __init__(self, given: Overrides) -> None:
        self._kafka: Kafka = clients.load_kafka(**given.get("kafka", {}))
        self._topic = clients.topics(self._kafka).dead_letters

    def read(self, choice: Choice) -> list[DeadLetter]:
        """The letters that are meant, oldest first."""
        settings = clients.aiokafka_settings(self._kafka)
        found = asyncio.run(reader.read(self._kafka.bootstrap, self._topic, settings))
        return [letter for letter in found if choice.holds(letter)]

    def replay(self, chosen: Sequence[DeadLetter]) -> int:
        """Send them to where they came from, each once; how many."""
        settings = clients.kafka_python_settings(self._kafka)
        return reader.replay(self._kafka.bootstrap, self._topic, chosen, settings)


def as_dict(letter: DeadLetter) -> dict[str, Any]:
    """Where it was and why it was refused; never what it holds."""
    names = (
        *("topic", "partition", "offset", "at_ms", "worker", "stage"),
        *("reason", "attribute", "message", "replayed"),
    )
    return {name: getattr(letter, name) for name in names}


def summary(found: Sequence[DeadLetter]) -> Table:
    """How many of each kind, the most frequent first."""
    kinds = Counter(
        (letter.topic, letter.reason, letter.attribute or "", letter.worker)
        for letter in found
    )
    rows = [(*kind, number) for kind, number in kinds.most_common()]
    return show.table(("topic", "reason", "attribute", "refused by", "letters"), rows)


def listing(found: Sequence[DeadLetter]) -> Table:
    """One line for each letter."""
    rows = [
        (
            show.moment(letter.at_ms),
            f"{letter.topic} {letter.partition}:{letter.offset}",
            letter.message,
            "sent again" if letter.replayed else "",
        )
        for letter in found
    ]
    return show.table(("written", "place", "why", ""), rows)
