"""A topic looked at again and again, over one connection that is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar

from sigmacount.errors import StreamUnavailable
from sigmacount.models import RowIdentity
from streams.admin.topics_admin import Admin

T = TypeVar("T")
Bounds = Mapping[int, tuple[int, int]]  # partition → (first, end)


class TopicWatch:
    """What a topic of rows is now, by the broker's word.

    Asked in a thread, so that rows are decoded meanwhile; one question at a time.

    Raises (every question):
        StreamUnavailable: the broker did not answer; ask again.
        Mismatch: there is no such topic.
    """

    def __init__(
        self, connect: Callable[[], Admin], topic: str, fingerprint: str
    ) -> None:
        self._connect, self._topic, self._schema = connect, topic, fingerprint
        self._admin: Admin | None = None
        self._turn = asyncio.Lock()

    async def identity(self) -> RowIdentity:
        """Which topic of which cluster it is, with how many partitions."""
        stream = await self._ask(lambda admin: admin.stream(self._topic))
        return RowIdentity(*stream, self._schema)

    async def bounds(self) -> Bounds:
        """First position that each partition holds, and the one after its last."""
        return await self._ask(self._bounds)

    def _bounds(self, admin: Admin) -> Bounds:
        first, end = admin.earliest(self._topic), admin.latest(self._topic)
        return {p: (first[p], end[p]) for p in first.keys() & end.keys()}

    async def _ask(self, question: Callable[[Admin], T]) -> T:
        async with self._turn:
            return await asyncio.to_thread(self._answered, question)

    def _answered(self, question: Callable[[Admin], T]) -> T:
        if self._admin is None:
            self._admin = self._connect()
        try:
            return question(self._admin)
        except StreamUnavailable:
            self._forget()  # the next question finds whoever is there then
            raise

    def _forget(self) -> None:
        admin, self._admin = self._admin, None
        if admin is not None:
            admin.close()

    async def aclose(self) -> None:
        """Disconnect."""
        async with self._turn:
            await asyncio.to_thread(self._forget)
