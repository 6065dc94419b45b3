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
from store.server.safety import require_fsync

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
        self._redis = redis

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
        replies, disk = await self._pipe(calls)
        if any(functions.missing(reply) for reply in replies):
            await functions.load(self._redis)
            replies, disk = await self._pipe(calls)
        with translated():
            for reply in replies:
                if isinstance(reply, Exception):
                    raise reply
        await self._check(disk)
        return [list(reply) for reply in replies]

    async def _send(self, call: Call) -> Any:  # noqa: ANN401 - a reply is whatever the script says
        return await self._redis.execute_command(*call.words())  # type: ignore[no-untyped-call]

    async def _pipe(self, calls: Sequence[Call]) -> tuple[list[Any], Any]:
        # WAITAOF speaks of writes of its own connection: they share a pipeline.
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for call in calls:
                    pipe.execute_command(*call.words())
                pipe.execute_command("WAITAOF", 1, 0, DISK_MS)
                *replies, disk = await pipe.execute(raise_on_error=False)
        return replies, disk

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
