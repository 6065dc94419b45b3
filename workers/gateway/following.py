"""Following: the topics that a gateway reads, each by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from streams.clients.batch_consumer import BatchConsumer
from workers.gateway.results import Heard, follow, followed_if_allowed
from workers.gateway.results.questions import Hear
from workers.running.retrying import Retrier

MakeReader = Callable[[], BatchConsumer]


class GatewayReaders(NamedTuple):
    """Readers in no group, of all partitions.

    Attributes:
        results: from now on.
        catalog: whole, as are the others.
        standing, ledger: for pages, which do without where they are not granted.
    """

    results: MakeReader
    catalog: MakeReader
    standing: MakeReader
    ledger: MakeReader


class FollowedTopics:
    """Hands records on; ``hearing`` is set once no answer can be missed."""

    def __init__(
        self, readers: GatewayReaders, hear: Hear, learn: Hear, heard: Heard
    ) -> None:
        self._readers, self._hear, self._learn = readers, hear, learn
        self._heard, self.hearing, self._known = heard, asyncio.Event(), asyncio.Event()

    def tasks(self, retry: Retrier, over: asyncio.Event) -> list[asyncio.Task[None]]:
        """One for each topic, until ``over``."""
        readers, heard = self._readers, self._heard
        whole, forbidden = heard.told, heard.forbidden
        follows = (
            follow(readers.results, self._hear, retry, over, self.hearing),
            follow(readers.catalog, self._learn, retry, over, self._known),
            followed_if_allowed(
                "standing", readers.standing, heard.stands, retry, over
            ),
            followed_if_allowed(
                "ledger", readers.ledger, heard.charge, retry, over, whole, forbidden
            ),
        )
        return [asyncio.create_task(each) for each in follows]
