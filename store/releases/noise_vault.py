"""The noise vault: what was drawn, kept for good, readable by the curator alone."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.errors import Mismatch
from sigmacount.mechanisms import KEY_BYTES
from sigmacount.models import NoiseName
from store.keys import NOISE_FENCE, NOISE_UNIT, Keys
from store.lease import Fences, refuse
from store.releases.dropping import drop
from store.server.arrays import pack, unpack
from store.server.connection import octets, translated
from store.server.scripts import Call, Scripts

NoiseArray: TypeAlias = NDArray[np.int64]


class NoiseVault:
    """Noise by unit and generation.

    A unit is a group id; ``q-``, a canonical query key and the mechanism for a fresh
    query, ``t-`` and the same for a table. The generation is what the release rule
    says: 0 for ever, or the epoch.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._keys, self._scripts = redis, keys, Scripts(redis)
        self.fence = Fences(self._scripts, keys.of(NOISE_FENCE))
        self._lost: Mapping[tuple[str, int], int] = {}

    def name(self, unit: str, generation: int) -> NoiseName:
        """What this noise is called in the vault, the ledger and its topic."""
        return NoiseName(unit, generation, self._lost.get((unit, generation), 0))

    def mark_lost(self, lost: Mapping[tuple[str, int], int]) -> None:
        """So often noise was lost, by (unit, generation).

        What is drawn and charged for it from here on goes under another name.
        """
        self._lost = lost

    async def get(self, unit: str, generation: int) -> NoiseArray | None:
        """The noise of one unit, int64 (atoms,), or None: never drawn."""
        return (await self.get_many([unit], generation))[unit]

    async def get_many(
        self, units: Sequence[str], generation: int
    ) -> dict[str, NoiseArray | None]:
        """The noise of each unit, or None for those never drawn.

        Raises:
            StoreUnavailable: the caller reads again, and draws nothing meanwhile.
        """
        found = await self._field("array", units, generation)
        return {u: None if p is None else unpack(p) for u, p in found.items()}

    async def keys_of(
        self, units: Sequence[str], generation: int
    ) -> dict[str, bytes | None]:
        """What the commitment to each noise is made with; None where there is none."""
        return await self._field("key", units, generation)

    async def made(self, units: Sequence[str], generation: int) -> dict[str, str]:
        """The JSON text kept beside each noise; ``{}`` where none was drawn."""
        found = await self._field("made", units, generation)
        return {unit: (each or b"{}").decode() for unit, each in found.items()}

    async def put(
        self,
        token: int,
        unit: str,
        generation: int,
        noise: NoiseArray,
        made: str = "{}",
    ) -> NoiseArray:
        """The noise that is held for ``unit`` from now on; see ``put_many``."""
        return (await self.put_many(token, generation, {unit: noise}, made))[unit]

    async def put_many(
        self,
        token: int,
        generation: int,
        drawn: Mapping[str, NoiseArray],
        made: str = "{}",
    ) -> dict[str, NoiseArray]:
        """What is held for each unit, on disk: the caller releases with this alone.

        It is ``drawn`` itself, or what was drawn earlier where something was.
        ``made`` is a JSON text kept beside it, for the auditor; so is a random key,
        with which the curator commits to the noise before it is shown.

        Raises:
            Fenced: a newer curator took over; the caller releases nothing.
            UnsafeStore: the server may lose it; the operator mends the server.
            StoreUnavailable: unknown; the caller puts the same arrays again.
            Mismatch: another number of atoms is held; the operator looks at why.
        """
        keys = [self.fence.key, *(self._unit(unit, generation) for unit in drawn)]
        args: list[bytes | str | int] = [token]
        for noise in drawn.values():
            args += [pack(noise), secrets.token_bytes(KEY_BYTES), made]
        [reply] = await self._scripts.run_durably([Call("noise_put", keys, args)])
        refuse(token, reply)
        held = zip(drawn.items(), reply[1:], strict=True)
        return {unit: _held(unit, noise, was) for (unit, noise), was in held}

    async def drop(self, token: int, names: Iterable[NoiseName]) -> None:
        """Nothing shows this noise any more; not waited for: who comes drops it again.

        Raises:
            Fenced: a newer curator took over, who drops it.
            StoreUnavailable: unknown; the caller drops the same again, or later.
        """
        keys = [self._keys.of(NOISE_UNIT, unit=n.unit, gen=n.label) for n in names]
        await drop(self._scripts, self.fence.key, token, keys)

    async def _field(
        self, field: str, units: Sequence[str], generation: int
    ) -> dict[str, bytes | None]:
        with translated():
            async with self._redis.pipeline(transaction=False) as pipe:
                for unit in units:
                    pipe.hget(self._unit(unit, generation), field)
                found = await pipe.execute()
        return dict(zip(units, map(octets, found), strict=True))

    def _unit(self, unit: str, generation: int) -> str:
        name = self.name(unit, generation)
        return self._keys.of(NOISE_UNIT, unit=unit, gen=name.label)


def _held(unit: str, offered: NoiseArray, packed: bytes) -> NoiseArray:
    held = unpack(packed) if packed else offered
    if held.shape != offered.shape:
        msg = f"unit {unit}: the vault holds {held.size} atoms, not {offered.size}"
        raise Mismatch(msg)
    return held
