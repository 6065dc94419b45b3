"""The topic `catalog`: what is there is replaced where the declaration says else."""

from __future__ import annotations

from collections.abc import Callable

from config.logs import Log
from sigmacount.errors import InvalidMessage
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.codec import decode, encode
from streams.wire.messages.catalog import Catalog
from streams.wire.topics import Topic

log = Log("catalog")


class CatalogTopic:
    """Keeps one dataset's entry of the catalog true; a repetition changes nothing.

    Raises (every method):
        StreamUnavailable: the broker did not answer; the caller repeats the act.
        Mismatch: the topic is missing or forbidden; the operator makes it.
    """

    def __init__(
        self,
        topic: Topic,
        publishers: Callable[[], Publisher],
        consumers: Callable[[], BatchConsumer],
    ) -> None:
        self._topic = topic
        self._publishers, self._consumers = publishers, consumers

    async def publish(self, catalog: Catalog) -> bool:
        """The topic holds this catalog last; True when it had to be told."""
        wanted = encode(catalog)
        if await self._found(catalog.dataset) == wanted:
            return False
        async with self._publishers() as publisher:
            await publisher.send(self._topic, catalog.dataset, catalog)
            await publisher.flush()
        log.info("catalog_published", dataset=catalog.dataset)
        return True

    async def _found(self, dataset: str) -> bytes | None:
        """The last catalog of the dataset as it would be sent now, or None."""
        found: bytes | None = None
        async with self._consumers() as reader:
            ends = await reader.ends()
            while not reader.caught_up(ends):
                for batch in (await reader.next_batch()).values():
                    for record in batch.records:
                        if record.key == dataset.encode():
                            found = _read(record.value)
        return found


def _read(value: bytes | None) -> bytes | None:
    """What a record says, in our spelling; None where it is no catalog of ours."""
    try:
        return encode(decode(Catalog, value))
    except InvalidMessage:
        return None
