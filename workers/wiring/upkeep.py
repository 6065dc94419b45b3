"""Upkeep: what an operator does for the whole service, and who is there to serve."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from importlib import metadata
from urllib.parse import urlsplit

from config.servers import Kafka
from config.settings import Overrides, Settings
from store import functions
from workers import wiring

DISTRIBUTION = "sigma-counting"
REDIS_PORT = 6379  # where a URL names none


def process_group(kafka: Kafka, role: str) -> str:
    """The group that every process of a role joins, whether it leads or stands by."""
    return f"{kafka.prefix}{role}-process"


async def processes(kafka: Kafka, roles: Iterable[str]) -> dict[str, int]:
    """How many processes of each role the broker hears.

    Raises:
        StreamUnavailable: the broker does not answer.
    """
    groups = {role: process_group(kafka, role) for role in roles}
    found = await asyncio.to_thread(_members, kafka, groups.values())
    return {role: found[group] for role, group in groups.items()}


def _members(kafka: Kafka, groups: Iterable[str]) -> dict[str, int]:
    with wiring.kafka_admin(kafka) as admin:
        return admin.members(groups)


async def load_functions(knobs: Overrides) -> tuple[str, bool]:
    """The library of this release is on the server: its name, and whether it is new.

    Raises:
        FunctionsMissing: this user may not load it; the admin may.
    """
    redis = wiring.connect_store(
        wiring.without_dataset(redis=knobs).redis, "sigma-functions"
    )
    try:
        return functions.library().name, await functions.load(redis)
    finally:
        await redis.aclose()


def introduction(settings: Settings, dataset: str) -> dict[str, str]:
    """What a process says of itself when it starts; no user, no password."""
    address = urlsplit(settings.redis.url.get_secret_value())
    return {
        "version": version(),
        "dataset": dataset,
        "kafka": settings.kafka.bootstrap,
        "prefix": settings.kafka.prefix,
        "redis": f"{address.hostname}:{address.port or REDIS_PORT}",
    }


def version() -> str:
    """Of this service, as installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "not installed"
