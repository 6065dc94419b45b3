"""Lua scripts by name: functions of the store's library, called by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from sigmacount.errors import StoreUnavailable, UnsafeStore
from store.server import functions
from store.server.connection import translated
from store.server.safety import replicas_asked, require_fsync

# Below the client's own timeout, so that a slow disk is told from a dead server.
DISK_MS = 5_000


@dataclass(frozen=True, slots=True)
class Call:
    """One script, its keys and its arguments."""

    script: str
    keys: Sequence[str]
    args: Sequence[bytes | str | int]

    def words(self) -> tuple[Any, ...]:
        """The call as one Redis command."""
        name = functions.library().function(self.script)
        return ("FCALL", name, len(self.keys), *self.keys, *self.args)


class Scripts:
    """Runs scripts on one client; a script is one step for everybody else."""

    def __init__(self, redis: Redis) -> None:
        self._redis, self._replicas = redis, replicas_asked(redis)

    async def run(self, call: Call) -> list[Any]:
        """The script's reply; byte strings inside.

        Raises:
            StoreUnavailable: no reply; the caller repeats the act unchanged.
            FunctionsMissing: the admin has not loaded them; the caller waits.
            StoreForbids: this user may not; the operator mends its rights.
        """
        with translated(but=ResponseError):
            try:
                reply = await self._send(call)
            except ResponseError as error:
                if not functions.missing(error):
                    with translated():
                        raise
                await functions.load(self._redis)
                with translated():
                    reply = await self._send(call)
        return list(reply)

    async def run_durably(self, calls: Sequence[Call]) -> list[list[Any]]:
        """The replies of ``calls``, in order, once their writes are on disk.

        Raises:
            StoreUnavailable: no reply, or the disk is slow; the caller repeats.
            FunctionsMissing: the admin has not loaded them; the caller waits.
            StoreForbids: this user may not; the operator mends its rights.
            UnsafeStore: this server cannot promise it; the operator mends it.
        """
        # WAITAOF speaks of writes of its own connection: they share a pipeline.
        *replies, disk = await self._pipe(
            calls, ("WAITAOF", 1, self._replicas, DISK_MS)
        )
        found = _listed(replies)
        await self._check(disk)
        return found

    async def run_together(self, calls: Sequence[Call]) -> list[list[Any]]:
        """The replies of ``calls``, in order, in one journey; on disk some time later.

        Raises:
            StoreUnavailable, FunctionsMissing, StoreForbids: as ``run``; some of them
                may have been done.
        """
        return _listed(await self._pipe(calls))

    async def _send(self, call: Call) -> Any:  # noqa: ANN401 - a reply is whatever the script says
        return await self._redis.execute_command(*call.words())  # type: ignore[no-untyped-call]

    async def _pipe(self, calls: Sequence[Call], *more: tuple[Any, ...]) -> list[Any]:
        """The replies, errors among them; all once more if functions were missing."""
        replies = await self._piped(calls, more)
        if any(functions.missing(reply) for reply in replies):
            await functions.load(self._redis)
            replies = await self._piped(calls, more)
        return replies

    async def _piped(
        self, calls: Sequence[Call], more: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for words in (*(call.words() for call in calls), *more):
                    pipe.execute_command(*words)
                found: list[Any] = await pipe.execute(raise_on_error=False)
        return found

    async def _check(self, disk: object) -> None:
        if isinstance(disk, ResponseError) and "unknown command" in str(disk).lower():
            await require_fsync(self._redis)
        elif isinstance(disk, ResponseError):
            msg = "the server keeps no append-only file; start it with --appendonly yes"
            raise UnsafeStore(msg)
        elif isinstance(disk, Exception):
            with translated():
                raise disk
        elif not (isinstance(disk, list) and int(disk[0]) >= 1):
            msg = f"not on disk after {DISK_MS} ms; the act is safe to repeat"
            raise StoreUnavailable(msg)
        elif int(disk[1]) < self._replicas:
            msg = (
                f"on the disks of {int(disk[1])} replicas after {DISK_MS} ms, and"
                f" SIGMA_REDIS_REPLICAS is {self._replicas}; safe to repeat"
            )
            raise StoreUnavailable(msg)


def _listed(replies: Sequence[Any]) -> list[list[Any]]:
    """What scripts said; the first error, if there is one."""
    with translated():
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
    return [list(reply) for reply in replies]
