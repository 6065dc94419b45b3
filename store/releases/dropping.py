"""Dropping: noise that nothing shows any more leaves the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from store.lease import refuse
from store.server.scripts import Call, Scripts

AT_ONCE: Final = 1_000  # keys of one act of the store


async def drop(scripts: Scripts, fence: str, token: int, keys: Sequence[str]) -> None:
    """None of these keys is there; the fence is asked even where there are none.

    Raises:
        Fenced: a newer curator took over; the rest was not dropped.
        StoreUnavailable: unknown; the caller drops the same again, or later.
    """
    for at in range(0, len(keys) or 1, AT_ONCE):
        call = Call("noise_drop", [fence, *keys[at : at + AT_ONCE]], [token])
        refuse(token, await scripts.run(call))
