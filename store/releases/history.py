"""What changed since: the epochs whose unprocessed numbers are still there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis

from sigmacount.models import HistoryLimits
from store.keys import ARRAY, HISTORY, Keys
from store.server.arrays import unpack
from store.server.connection import octets, translated

# What of ``Head.about`` says how far two epochs may be compared.
COMPARED: Final = (
    "rule",
    "era",
    "made_of",
    "ticks",
    "generations",
    "horizon",
    "lost",
)


@dataclass(frozen=True, slots=True)
class PastEpoch:
    """An epoch that was served, or is, and where its numbers with noise alone are.

    Attributes:
        size: of these numbers, as they are kept (bytes); None: there are none.
        about: those of ``COMPARED`` that the epoch's head had.

    The others are those of ``Head``.
    """

    epoch: int
    token: int
    as_of_ms: int
    attempt: str
    groups: tuple[str, ...]
    size: int | None
    about: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(
        epoch: int,
        token: int,
        as_of_ms: int,
        attempt: str,
        groups: tuple[str, ...],
        size: int | None,
        about: Mapping[str, Any],
    ) -> PastEpoch:
        """What is kept of a head with so much ``about`` it; no size: nothing is."""
        said = {word: about[word] for word in COMPARED if word in about}
        return PastEpoch(epoch, token, as_of_ms, attempt, groups, size, said)

    def names(self, keys: Keys) -> list[str]:
        """Of its arrays, in the order of ``groups``."""
        made = {"epoch": self.epoch, "token": self.token, "try": self.attempt}
        return [keys.of(ARRAY, **made, gid=gid, kind="noisy") for gid in self.groups]


class Turnover(NamedTuple):
    """What becomes of the epochs before when another is served.

    Attributes:
        entry: JSON of the new epoch for the history, or nothing.
        forgotten: epochs that leave it.
        dropped: names of arrays that nobody reads any more.
    """

    entry: bytes
    forgotten: tuple[int, ...]
    dropped: list[str]


class History:
    """The epochs that changes can be asked since: read by everybody who answers.

    ``Released.publish`` writes it, with the head and in the same step.
    """

    def __init__(self, redis: Redis, keys: Keys) -> None:
        self._redis, self._keys = redis, keys

    async def epochs(self) -> dict[int, PastEpoch]:
        """By number, the oldest first; the one that is served is the last.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        with translated():
            found = await self._redis.hgetall(self._keys.of(HISTORY))
        epochs = [msgspec.json.decode(each, type=PastEpoch) for each in found.values()]
        in_order = sorted(epochs, key=lambda past: past.epoch)
        return {each.epoch: each for each in in_order}

    async def numbers(self, past: PastEpoch) -> dict[str, NDArray[np.int64]] | None:
        """Group id → atoms with their noise, int64 (|Ω|,); None: it is kept no more.

        Raises:
            StoreUnavailable: the caller reads again.
        """
        if not past.groups:
            return {}
        with translated():
            found = await self._redis.mget(past.names(self._keys))
        packed = [octets(each) for each in found]
        if any(each is None for each in packed):
            return None
        pairs = zip(past.groups, packed, strict=True)
        return {gid: unpack(each or b"1") for gid, each in pairs}


def turnover(
    keys: Keys,
    past: Mapping[int, PastEpoch],
    new: PastEpoch,
    limits: HistoryLimits,
    served: str,
    before: str,
) -> Turnover:
    """When ``new`` follows an epoch whose arrays are ``served``: names, one a line.

    Those stay for readers in mid-read. The ones ``before`` it go, but for what the
    history keeps.
    """
    known = {**past, new.epoch: new}
    stays = limits.kept({epoch: each.size or 0 for epoch, each in known.items()})
    kept = {name for epoch in stays for name in known[epoch].names(keys)}
    gone = [each for epoch, each in past.items() if epoch not in stays]
    unread = [name for each in gone for name in each.names(keys)]
    dropped = dict.fromkeys([*before.splitlines(), *unread])
    held = kept.union(served.splitlines())
    return Turnover(
        b"" if new.epoch not in stays or new.size is None else msgspec.json.encode(new),
        tuple(each.epoch for each in gone),
        [name for name in dropped if name not in held],
    )
