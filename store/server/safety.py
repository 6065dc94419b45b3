"""Whether a Redis server may be trusted with counts, noise and money."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from sigmacount.errors import StoreUnavailable, UnsafeStore
from store.server.connection import StoreClient, reason, text, translated

Durability: TypeAlias = Literal["waitaof", "always"]


async def check_server(redis: Redis) -> None:
    """The server neither evicts nor forgets: what a counter needs.

    A lost tail of the append-only file rolls counts and offset back together, and
    Kafka repeats the records; so every ``appendfsync`` is good enough for counts.

    Raises:
        UnsafeStore: named with its remedy; the operator mends the server.
        StoreUnavailable: no answer, or still loading; the caller waits.
    """
    with translated():
        info = {**await redis.info("memory"), **await redis.info("persistence")}
    if info.get("loading"):
        msg = "Redis is still loading its append-only file; wait"
        raise StoreUnavailable(msg)
    if (policy := info.get("maxmemory_policy")) != "noeviction":
        _refuse(f"Redis may evict keys ({policy})", "maxmemory-policy noeviction")
    if not info.get("aof_enabled"):
        _refuse("Redis keeps no append-only file", "appendonly yes")
    if info.get("aof_last_write_status") != "ok":
        _refuse("Redis could not write its append-only file", "a disk with free space")


async def check_durability(redis: Redis) -> Durability:
    """How this server proves that a write is on disk: what a curator needs.

    Raises:
        UnsafeStore: it cannot; the operator mends the server.
        StoreUnavailable: no answer; the caller waits.
    """
    await check_server(redis)
    wanted = replicas_asked(redis)
    try:
        with translated(but=ResponseError):
            # Asks for no copy at all, so it returns at once where it is known.
            await redis.execute_command("WAITAOF", 0, 0, 1)  # type: ignore[no-untyped-call]
    except ResponseError as error:
        if "unknown command" not in str(error).lower():
            raise StoreUnavailable(reason(error)) from None
        if wanted:
            remedy = "SIGMA_REDIS_REPLICAS=0, or take Redis 7.2 or Valkey"
            _refuse(
                "Redis knows no WAITAOF, so nobody knows what replicas keep", remedy
            )
        await require_fsync(redis)
        return "always"
    await _check_replicas(redis, wanted)
    return "waitaof"


def replicas_asked(redis: Redis) -> int:
    """How many replicas must have on disk what may never be lost."""
    return redis.replicas if isinstance(redis, StoreClient) else 0


async def _check_replicas(redis: Redis, wanted: int) -> None:
    """As many are there as must keep what is charged and drawn, or nothing would be."""
    with translated():
        there = int((await redis.info("replication")).get("connected_slaves", 0))
    if there < wanted:
        msg = (
            f"{wanted} replicas must keep what is charged and drawn"
            f" (SIGMA_REDIS_REPLICAS), and {there} are connected; wait, or start them"
        )
        raise StoreUnavailable(msg)


async def require_fsync(redis: Redis) -> None:
    """Every write is on disk before its reply; needed where WAITAOF is unknown.

    Raises:
        UnsafeStore: it is not; the operator mends the server.
    """
    with translated():
        found: dict[Any, Any] = await redis.config_get("appendfsync", "appendonly")
    if {text(value) for value in found.values()} != {"always", "yes"}:
        _refuse("Redis knows no WAITAOF", "appendonly yes and appendfsync always")


def _refuse(what: str, remedy: str) -> None:
    msg = f"{what}: it may lose what it must keep; nothing was started. Set {remedy}."
    raise UnsafeStore(msg)
