"""Asks questions on a schedule, in a process of its own, and times the answers.

An open loop: question i is due at i / rate whatever became of those before it, and
its latency counts from then, not from when it was sent. A responder that stalls is
charged for all who would have asked meanwhile.

Run:  python -m benchmarks.asking BOOTSTRAP PREFIX < script.json
Prints one JSON line a turn: seconds by question, and what the last one was told.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
from collections.abc import Sequence

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from sigmaclient.sessions.session import READING
from streams.wire.codec import decode, encode
from streams.wire.messages.events import QueryAnswered, QueryAsked
from streams.wire.topics import Topics

CLIENTS = 50
PATIENCE = 60.0  # seconds after the last question for the last answer
PARTITIONS = 4


def due(elapsed: float, rate: float) -> int:
    """How many questions are due ``elapsed`` seconds after the first one was."""
    return math.floor(elapsed * rate + 1e-9) + 1


def percentile(values: Sequence[float], percent: float) -> float:
    """The least value that so many percent of them do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(len(ranked) * percent / 100) - 1)]


class Turn:
    """Questions at one rate, and when each was answered."""

    def __init__(self, name: str, rate: float, texts: Sequence[str]) -> None:
        self.name, self.rate, self.texts = name, rate, texts
        self.began = 0.0
        self.told: dict[int, tuple[float, QueryAnswered]] = {}
        self.done = asyncio.Event()

    async def ask(self, producer: AIOKafkaProducer, topic: str) -> None:
        """Send every question when it is due."""
        sent, self.began = 0, time.perf_counter()
        while sent < len(self.texts):
            await asyncio.sleep(self.began + sent / self.rate - time.perf_counter())
            now = due(time.perf_counter() - self.began, self.rate)
            for number in range(sent, min(now, len(self.texts))):
                await producer.send(topic, *self._question(number))
                sent += 1

    def _question(self, number: int) -> tuple[bytes, bytes]:
        client = f"client-{number % CLIENTS}"
        name, where = f"{self.name}/{number}", self.texts[number]
        asked = QueryAsked(request_id=name, client=client, where=where)
        return encode(asked), client.encode()

    def hear(self, answer: QueryAnswered) -> None:
        """Note the answer to one question of this turn."""
        name, _, number = answer.request_id.rpartition("/")
        if name == self.name:
            self.told[int(number)] = time.perf_counter(), answer
            if len(self.told) == len(self.texts):
                self.done.set()

    def report(self) -> str:
        """Seconds from when each question was due, as JSON."""
        for _, answer in self.told.values():
            assert (answer.status, answer.route) == ("ok", "algebra"), answer
        seconds = [
            at - self.began - number / self.rate
            for number, (at, _) in sorted(self.told.items())
        ]
        last = self.told[len(self.texts) - 1][1].count
        return json.dumps({"name": self.name, "seconds": seconds, "count": last})


async def main(bootstrap: str, prefix: str) -> None:
    """Take the turns of the script one after the other."""
    topics = Topics.named(prefix, PARTITIONS)
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    heard = AIOKafkaConsumer(
        topics.results.name,
        bootstrap_servers=bootstrap,
        auto_offset_reset="earliest",
        **READING,  # as our client reads
    )
    async with producer, heard:
        for name, rate, texts in json.load(sys.stdin):
            turn = Turn(name, rate, texts)
            hearing = asyncio.create_task(_hear(heard, turn))
            await turn.ask(producer, topics.queries.name)
            await asyncio.wait_for(turn.done.wait(), PATIENCE)
            hearing.cancel()
            print(turn.report(), flush=True)


async def _hear(heard: AIOKafkaConsumer, turn: Turn) -> None:
    async for record in heard:
        turn.hear(decode(QueryAnswered, record.value))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
