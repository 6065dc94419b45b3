"""Lease: one holder at a time, under a token that only grows.

The pure model of ``store/lua/lease_*.lua`` and ``fence.lua``. Two processes may both
believe that they hold a lease for a moment; the fence decides, not the belief.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sigmacount.errors import Fenced


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to act alone in one role, until a moment.

    Attributes:
        newest: the newest token handed out; 0 before the first.
        owner: who took it last, or None when it was given back.
        until: the moment (ms) from which somebody else may take it.
    """

    newest: int = 0
    owner: str | None = None
    until: int = 0

    def held_by(self, now: int) -> str | None:
        """Who holds it at ``now`` (ms), or None."""
        return self.owner if now < self.until else None

    def acquire(self, owner: str, now: int, ttl: int, beyond: int = 0) -> Lease | None:
        """The lease under a new token, or None while somebody holds it.

        The token is newer than ``beyond``, too: one that was handed out by a store
        which has forgotten it.

        An owner's name proves nothing, so its own second call is refused as well.
        """
        if self.held_by(now) is not None:
            return None
        return Lease(max(self.newest, beyond) + 1, owner, now + ttl)

    def renew(self, token: int, now: int, ttl: int) -> Lease | None:
        """The lease for ``ttl`` ms from ``now``, or None when it is lost."""
        if self.held_by(now) is None or token != self.newest:
            return None
        return replace(self, until=now + ttl)

    def release(self, token: int) -> Lease:
        """Free for the next, if ``token`` is the holder's."""
        return replace(self, owner=None, until=0) if token == self.newest else self


@dataclass(frozen=True, slots=True)
class Fence:
    """The newest token a store has seen: older ones write nothing there.

    Each store has its own, so that comparing and writing is one step in one place.
    """

    newest: int = 0

    def admit(self, token: int) -> Fence:
        """The fence after a write under ``token``.

        Raises:
            Fenced: a newer holder was here; the caller stops acting in this role.
        """
        if token < self.newest:
            raise Fenced(token)
        return Fence(token)
