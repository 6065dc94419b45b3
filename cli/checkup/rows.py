"""Checks of the rows: one topic, all of its partitions, and no id in two of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from cli.checkup.check import Check, fail, ok
from cli.recounting import duplicate_ids
from cli.recounting.duplicate_ids import Duplicates
from cli.recounting.verdicts import UNCOUNTED
from config.servers import Kafka
from sigmacount.models import STRANGE, RowIdentity
from workers import clients
from workers.clients import DatasetStores

SAMPLE = 1_000  # ids of each partition; `sigma verify` looks at all


async def look(
    stores: DatasetStores, kafka: Kafka, name: str, fingerprint: str
) -> AsyncIterator[Check]:
    """What was counted belongs to the topic there is, and each id counts once."""
    now = await asyncio.to_thread(_identity, kafka, name, fingerprint)
    partitions = range(now.partitions)
    held = await stores.truth.identities(partitions)
    counted = [p for p, each in zip(partitions, held, strict=True) if each is not None]
    strange = {field for each in held if each and (field := now.strange(each))}
    for field in sorted(strange):
        words = f"{STRANGE[field]} ({field} differs from what was counted)"
        yield fail("stream", words, "point to the stream that was, or `sigma rebuild`")
    if counted and len(counted) < now.partitions:
        missing = [str(p) for p in partitions if p not in counted]
        words = f"no counter has counted partition {', '.join(missing)} of {name}"
        yield fail("stream", words, UNCOUNTED)
    elif counted and not strange:
        yield ok("stream", f"{name} is the topic that was counted")
    if counted:
        looked, found = await sampled(stores, counted)
        yield _doubles(looked, found)


def _identity(kafka: Kafka, topic: str, fingerprint: str) -> RowIdentity:
    with clients.kafka_admin(kafka) as admin:
        return RowIdentity(*admin.stream(topic), fingerprint)


def _doubles(looked: int, found: Duplicates) -> Check:
    if found.ids:
        return fail("ids", f"of {looked} looked at, {found}", duplicate_ids.REMEDY)
    return ok("ids", f"none of {looked} looked at stands in two partitions")


async def sampled(
    stores: DatasetStores, partitions: Sequence[int]
) -> tuple[int, Duplicates]:
    """How many ids were drawn, and those of them that stand in another partition too.

    All ids where no partition has more than ``SAMPLE``. Where a share s of a
    partition's ids stands elsewhere, none is drawn with probability (1 - s)^SAMPLE.
    """
    looked, twice, between = 0, set[bytes](), set[duplicate_ids.PartitionPair]()
    for one in partitions:
        ids = await stores.truth.sample(one, SAMPLE)
        looked += len(ids)
        for other in partitions:
            if other != one and (shared := await stores.truth.among(other, ids)):
                twice.update(shared)
                between.add((min(one, other), max(one, other)))
    return looked, Duplicates(len(twice), tuple(sorted(between)))
