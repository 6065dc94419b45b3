"""Upkeep of the whole service: its functions in the store, its processes present."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from config.servers import Kafka
from config.settings import Overrides
from store.server import functions
from workers import clients


async def processes(kafka: Kafka, roles: Iterable[str]) -> dict[str, int]:
    """How many processes of each role the broker hears.

    Raises:
        StreamUnavailable: the broker does not answer.
    """
    groups = {role: clients.process_group(kafka, role) for role in roles}
    found = await asyncio.to_thread(_members, kafka, groups.values())
    return {role: found[group] for role, group in groups.items()}


def _members(kafka: Kafka, groups: Iterable[str]) -> dict[str, int]:
    with clients.kafka_admin(kafka) as admin:
        return admin.members(groups)


async def load_functions(settings: Overrides) -> tuple[str, bool]:
    """The library of this release is on the server: its name, and whether it is new.

    Raises:
        FunctionsMissing: this user may not load it; the admin may.
    """
    redis = clients.connect_store(
        clients.without_dataset(redis=settings).redis, "sigma-functions"
    )
    try:
        return functions.library().name, await functions.load(redis)
    finally:
        await redis.aclose()
