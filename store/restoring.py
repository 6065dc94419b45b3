"""Restoring: the ledger is given the lines that it once had, in one step."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from redis.asyncio import Redis

from sigmacount.charges import Entry, first_hash
from sigmacount.errors import Mismatch
from store.connection import text, translated
from store.keys import (
    LEDGER,
    LEDGER_CLIENTS,
    LEDGER_ENTRIES,
    LEDGER_FENCE,
    LEDGER_SEEN,
    Keys,
)
from store.lease import refuse
from store.scripts import Call, Scripts

_PARTS = (LEDGER_FENCE, LEDGER, LEDGER_ENTRIES, LEDGER_SEEN, LEDGER_CLIENTS)


async def restore_ledger(
    redis: Redis, keys: Keys, token: int, held: Sequence[Entry], lines: Sequence[Entry]
) -> None:
    """The ledger has exactly ``lines``, on disk; before it had ``held``.

    Done a second time it changes nothing. Limits stay as they are.

    Raises:
        Fenced: a newer curator took over; nothing was written.
        Mismatch: it has other lines than ``held``; the operator looks again.
        StoreUnavailable: unknown; the caller repeats it.
    """
    with translated():
        head = text(await redis.hget(keys.of(LEDGER), "head"))
    after = lines[-1].hash if lines else first_hash(keys.dataset)
    texts = [msgspec.json.encode(line) for line in lines]
    args = [token, len(held), head, after, *texts]
    call = Call("ledger_restore", [keys.of(part) for part in _PARTS], args)
    [reply] = await Scripts(redis).run_durably([call])
    refuse(token, reply)
    if reply[0] != b"ok":
        msg = "the ledger changed while it was restored; nothing was written. Run again"
        raise Mismatch(msg)
