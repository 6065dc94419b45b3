"""Rows of one spelling of keys: all others of a topic are refused."""

from __future__ import annotations

import asyncio

from sigmacount.models import RowIdentity
from store.sensitive import KeySpellings
from streams.formats.refusals.reasons import FormReason
from streams.formats.row_format import DecodedBatch
from workers.running.retrying import Retrier


def spelled_topic(identity: RowIdentity) -> str:
    """The topic, by ids that never come back."""
    return f"{identity.cluster_id}/{identity.topic_id}"


class OneSpelling:
    """What the store keeps of the topic, looked up once after each claim."""

    def __init__(
        self, spellings: KeySpellings, identity: RowIdentity, retry: Retrier
    ) -> None:
        self._spellings, self._topic = spellings, spelled_topic(identity)
        self._retry = retry
        self._kept: str | None = None

    def look_again(self) -> None:
        """A partition was claimed: what was kept before may have been forgotten."""
        self._kept = None

    async def checked(
        self, decoded: DecodedBatch, records: int, stop: asyncio.Event
    ) -> DecodedBatch:
        """The batch, of so many records, less the rows of another spelling."""
        if not decoded.origins:
            return decoded
        offered = decoded.origins[0].spelling
        if self._kept is None:
            self._kept = await self._retry.until_done(
                lambda: self._spellings.keep(self._topic, offered),
                stop,
                "spelling_kept",
            )
        return decoded.spelled(self._kept, records, FormReason.KEY_SPELLED_OTHERWISE)
