"""Acts of the operator that need the curator's lease: nothing while one leads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from cli import options
from cli.exits import CommandRefused
from store.lease import RoleLease

LEASE_MS = 600_000  # reading a topic of years may take minutes; it is given back
WAIT_S = 20.0  # a curator that was just stopped, or refused to start, lets go by then
LOOK_S = 0.2
T = TypeVar("T")


async def under_lease(
    lease: RoleLease, verb: str, beyond: int, act: Callable[[int], Awaitable[T]]
) -> T:
    """What ``act`` returns, done with a token of the curator's lease above ``beyond``.

    Raises:
        Refusal: a curator leads; nothing was written.
    """
    owner = f"{verb}, by {options.user_name()}"
    until = time.monotonic() + WAIT_S
    while (token := await lease.acquire(owner, LEASE_MS, beyond)) is None:
        if time.monotonic() > until:
            msg = (
                f"a curator leads ({await lease.holder()}): nothing was written. Stop"
                " all curators, and run this again."
            )
            raise CommandRefused(msg)
        await asyncio.sleep(LOOK_S)
    try:
        return await act(token)
    finally:
        await lease.release(token)
