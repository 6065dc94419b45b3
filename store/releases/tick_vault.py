"""The vault's ticks: what counters drew, readable by the curator alone."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.continual import Counters, Horizon, KeptCounters
from sigmacount.errors import Mismatch, StoreWentBack
from sigmacount.mechanisms import KEY_BYTES
from sigmacount.models import NoiseName
from store.keys import NOISE_COUNT, NOISE_FENCE, Keys
from store.lease import refuse
from store.releases.dropping import drop
from store.releases.replaying import (
    StoredTick,
    fields_of,
    kind_of,
    replayed,
    stored_tick,
)
from store.server.arrays import pack, unpack
from store.server.connection import octets, text, translated
from store.server.scripts import Call, Scripts


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTick:
    """The u that a curator made for the next tick of these counters.

    Shapes: ``moved`` int64 (n,), of ``counters.step``.
    """

    counters: Counters
    moved: NDArray[np.int64]


class TickVault:
    """Ticks of counters by the name of their noise.

    A unit is charged before its first tick, and each tick is here before anybody sees
    a number with it. A unit that is paused is not asked to tick, and comes back with
    the next.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._keys, self._scripts = redis, keys, Scripts(redis)
        self._fence = keys.of(NOISE_FENCE)

    async def read(
        self, units: Mapping[NoiseName, tuple[Horizon, int]]
    ) -> dict[NoiseName, KeptCounters]:
        """The counters of each unit, of this horizon and size; new, if none ticked.

        Raises:
            Mismatch: a unit has counters of another kind; the operator looks at why.
            StoreWentBack: a part of a unit is gone; the operator restores the store.
            StoreUnavailable: the caller reads again, and draws nothing meanwhile.
        """
        found = await self._held(units)
        return await asyncio.to_thread(replayed, units, found)

    async def stored(
        self, ticks: Mapping[NoiseName, int]
    ) -> dict[NoiseName, StoredTick | None]:
        """These ticks of units; None: it is gone, folded, or cannot be replayed.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        found = await self._held(ticks)
        return await asyncio.to_thread(
            lambda: {n: stored_tick(tick, found[n]) for n, tick in ticks.items()}
        )

    async def keys_of(
        self, names: Iterable[NoiseName]
    ) -> dict[NoiseName, bytes | None]:
        """What commitments to ticks are made with; None before the first tick."""
        units = list(names)
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for name in units:
                    pipe.hget(self._key(name), "key")
                found = await pipe.execute()
        return dict(zip(units, map(octets, found), strict=True))

    async def step(
        self, token: int, epoch: int, drawn: Mapping[NoiseName, DrawnTick]
    ) -> dict[NoiseName, tuple[int, NDArray[np.int64]]]:
        """The tick and the u that each unit has for ``epoch``, on disk.

        They are those drawn, or, where the epoch had some already, those: the caller
        releases with what is returned alone. All units tick or none does.

        Raises:
            Fenced: a newer curator took over; the caller releases nothing.
            Mismatch: another tick is next; the caller reads again. Or the unit has
                counters of another kind; the operator looks at why.
            StoreWentBack: the unit ticked for a later epoch, or its last tick is gone.
            OverflowError: it had all its ticks; the caller starts another unit, which
                is another charge.
            UnsafeStore: the server may lose them; the operator mends the server.
            StoreUnavailable: unknown; the caller steps the same again.
        """
        names = list(drawn)
        args: list[bytes | str | int] = [token, epoch]
        for each in drawn.values():
            args += [each.counters.tick + 1, kind_of(each.counters), pack(each.moved)]
            args.append(secrets.token_bytes(KEY_BYTES))
        keys = [self._fence, *map(self._key, names)]
        [reply] = await self._scripts.run_durably([Call("noise_step", keys, args)])
        refuse(token, reply)
        if reply[0] != b"ok":
            _refused(names, epoch, reply)
        held = zip(names, reply[1::2], reply[2::2], strict=True)
        return {
            name: (int(tick), unpack(packed) if packed else drawn[name].moved)
            for name, tick, packed in held
        }

    async def fold(self, token: int, name: NoiseName, state: Counters) -> None:
        """This state takes the place of the ticks that it came from.

        Not waited for: until it is on disk the ticks are.

        Raises:
            Fenced: a newer curator took over; the caller stops.
            Mismatch: another state was computed for the same tick, or the tick is the
                last one; the caller has a bug.
            StoreUnavailable: unknown; the caller folds again, or later.
        """
        packed = pack(np.concatenate((state.noise[None], state.buffers)).reshape(-1))
        keys, args = (self._fence, self._key(name)), (token, state.tick, packed)
        reply = await self._scripts.run(Call("noise_fold", keys, args))
        refuse(token, reply)
        if reply[0] != b"ok":
            why = "another state is kept of it" if len(reply) == 1 else "it is the last"
            msg = f"unit {name}: tick {state.tick} cannot be folded, as {why}"
            raise Mismatch(msg)

    async def drop(self, token: int, names: Iterable[NoiseName]) -> None:
        """Nothing is told with these counters any more; as ``NoiseVault.drop``.

        Raises:
            Fenced, StoreUnavailable: as there.
        """
        await drop(self._scripts, self._fence, token, [*map(self._key, names)])

    async def _held(
        self, names: Iterable[NoiseName]
    ) -> dict[NoiseName, dict[str, bytes]]:
        units = list(names)
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for name in units:
                    pipe.hgetall(self._key(name))
                found = await pipe.execute()
        return dict(zip(units, map(fields_of, found), strict=True))

    def _key(self, name: NoiseName) -> str:
        return self._keys.of(NOISE_COUNT, unit=name.unit, gen=name.label)


def _refused(names: list[NoiseName], epoch: int, reply: list[Any]) -> NoReturn:
    """What the script found in the way; nothing was written."""
    name, held = names[int(reply[1])], text(reply[2])
    match reply[0]:
        case b"later":
            what = f"unit {name} ticked for epoch {held}, and epoch {epoch} is next"
            raise StoreWentBack(what)
        case b"lost":
            what = f"unit {name}: tick {held}, its last, is gone"
            raise StoreWentBack(what)
        case b"ended":
            msg = f"unit {name} ended with tick 2^26; start another, at a new charge"
            raise OverflowError(msg)
        case b"other":
            msg = f"unit {name}: the vault has counters of kind {held}"
            raise Mismatch(msg)
    msg = f"unit {name}: the vault holds tick {held}, and another is next; read again"
    raise Mismatch(msg)
