"""Restoring: the ledger is given the lines that it once had, in one step."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from redis.asyncio import Redis

from sigmacount.accounting import NOTE_PURPOSES, Entry, first_hash
from sigmacount.errors import MeasurePinned, Mismatch
from store.keys import (
    LEDGER,
    LEDGER_CLIENTS,
    LEDGER_ENTRIES,
    LEDGER_FENCE,
    LEDGER_SEEN,
    LEDGER_SURCHARGED,
    Keys,
)
from store.lease import refuse
from store.server.connection import text, translated
from store.server.scripts import Call, Scripts

_PARTS = (
    LEDGER_FENCE,
    LEDGER,
    LEDGER_ENTRIES,
    LEDGER_SEEN,
    LEDGER_CLIENTS,
    LEDGER_SURCHARGED,
)


class Rewriter:
    """Writes the ledger of one dataset anew; for the operator alone."""

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._keys, self._scripts = redis, keys, Scripts(redis)

    async def restore(
        self, token: int, held: Sequence[Entry], lines: Sequence[Entry]
    ) -> None:
        """The ledger has exactly ``lines``, on disk; before it had ``held``.

        Done a second time it changes nothing. Limits stay as they are.

        Raises:
            Fenced: a newer curator took over; nothing was written.
            Mismatch: it has other lines than ``held``; the operator looks again.
            MeasurePinned: ``lines`` are of another measure; nothing was written.
            StoreUnavailable: unknown; the caller repeats it.
        """
        keys = [self._keys.of(part) for part in _PARTS]
        with translated():
            head = text(await self._redis.hget(self._keys.of(LEDGER), "head"))
        after = lines[-1].hash if lines else first_hash(self._keys.dataset)
        measure = _measure_of(lines)
        args: list[bytes | str | int] = [token, len(held), head, after, measure]
        args += [msgspec.json.encode(line) for line in lines]
        [reply] = await self._scripts.run_durably([Call("ledger_restore", keys, args)])
        refuse(token, reply)
        if reply[0] == b"measure":
            raise MeasurePinned(self._keys.dataset, text(reply[1]), measure)
        if reply[0] != b"ok":
            msg = "the ledger changed meanwhile; nothing was written. Run it again."
            raise Mismatch(msg)


def _measure_of(lines: Sequence[Entry]) -> str:
    """What the ledger of the lines is kept in; empty where none of them tells.

    A note costs nothing, and a surcharge is in ε in any ledger.
    """
    telling = (
        line.charge.measure.value
        for line in lines
        if line.charge.purpose not in NOTE_PURPOSES and not line.charge.is_surcharge
    )
    return next(telling, "")
