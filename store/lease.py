"""The lease of a role in Redis: one active curator, one active reclusterer."""

from __future__ import annotations

from redis.asyncio import Redis

from sigmacount.errors import Fenced
from store.keys import LEASE, LEASE_FENCE, Keys
from store.server.connection import text, translated
from store.server.scripts import Call, Scripts

FENCING = "curator"  # the role whose token guards noise, money and releases


class RoleLease:
    """The right to act alone as ``role``.

    Holding it is a belief that may be late; what makes a write safe is the token,
    which every store compares with the newest it has seen. A new holder therefore
    raises the fence of every store it writes before it reads anything.
    """

    def __init__(self, redis: Redis, keys: Keys, role: str) -> None:
        self._redis, self._scripts = redis, Scripts(redis)
        self.role, self._fences = role, role == FENCING
        self._held = keys.of(LEASE, role=role)
        self._newest = keys.of(LEASE_FENCE, role=role)

    async def acquire(self, owner: str, ttl_ms: int, beyond: int = 0) -> int | None:
        """A token newer than any before, or None while somebody holds the role.

        It is newer than ``beyond``, too: a store that went back hands out old ones.
        A curator's is on disk when it returns: no crash hands out its token twice.

        Raises:
            StoreUnavailable: unknown; the caller tries again after ``ttl_ms``.
            UnsafeStore: the server may lose tokens; the operator mends it.
        """
        keys = (self._held, self._newest)
        call = Call("lease_acquire", keys, (owner, ttl_ms, beyond))
        if self._fences:
            [reply] = await self._scripts.run_durably([call])
        else:
            reply = await self._scripts.run(call)
        return int(reply[1]) if reply[0] == b"ok" else None

    async def newest(self) -> int:
        """The newest token that was ever handed out; 0 before the first."""
        with translated():
            return int(await self._redis.get(self._newest) or 0)

    async def renew(self, token: int, ttl_ms: int) -> bool:
        """Whether the role is still ours, now for ``ttl_ms`` more."""
        call = Call("lease_renew", (self._held,), (token, ttl_ms))
        return bool((await self._scripts.run(call))[0] == b"ok")

    async def release(self, token: int) -> bool:
        """The role is free; False when it was not ours any more."""
        call = Call("lease_release", (self._held,), (token,))
        return bool((await self._scripts.run(call))[0] == b"ok")

    async def holder(self) -> str | None:
        """The name of who holds the role, or None."""
        with translated():
            held = text(await self._redis.get(self._held))
        return held.partition(" ")[2] or None


class Fences:
    """One slot's fence: the newest token that has written there."""

    def __init__(self, scripts: Scripts, key: str) -> None:
        self._scripts, self.key = scripts, key

    async def advance(self, token: int) -> None:
        """Older tokens write nothing here any more.

        Raises:
            Fenced: a newer holder was here; the caller gives up the role.
        """
        refuse(token, await self._scripts.run(Call("fence", (self.key,), (token,))))


def refuse(token: int, reply: list[object]) -> None:
    """Nothing, unless a script said that ``token`` is not the newest.

    Raises:
        Fenced: it said so; nothing was written.
    """
    if reply[0] == b"fenced":
        raise Fenced(token)
