"""Which partition a row's key names, so that no id is counted in two of them.

A producer with another partitioner than its neighbours sends the rows of one id to two
partitions; each of them would count that id once. So the counter takes a row only
from the partition that Kafka's own rule, murmur2 of the key, names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from streams.formats.native import CHUNK
from streams.formats.refusals.diagnosis import Reason
from streams.formats.row_format import DecodedBatch, RowFormat
from streams.wire.records import Record

Rule = Literal["murmur2", "any"]
WORD: Final = 4  # bytes that murmur2 mixes at once
SEED, MIX, SHIFT = np.uint32(0x9747B28C), np.uint32(0x5BD1E995), np.uint32(24)
_NONE = np.empty(0, np.uint32)


def murmur2(keys: Sequence[bytes]) -> NDArray[np.uint32]:
    """The hash of each key that Kafka's Java client takes: uint32 (n,).

    All keys at once: the k-th word of every key is mixed in one step, and a key that
    ends before it is left alone.
    """
    if not keys:
        return _NONE
    lengths = np.fromiter(map(len, keys), np.uint32, len(keys))
    whole = lengths // WORD
    width = int(whole.max()) + 1
    # Zeros after the end of a key are what murmur2 takes for the bytes that lack.
    words = np.array(keys, f"S{width * WORD}").view("<u4").reshape(-1, width).T.copy()
    hashes = SEED ^ lengths
    for at in range(width - 1):
        mixed = (hashes * MIX) ^ _scrambled(words[at])
        hashes = np.where(at < whole, mixed, hashes)
    tails = words[whole, np.arange(len(keys))]
    hashes = np.where(lengths % WORD, (hashes ^ tails) * MIX, hashes)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * MIX
    return hashes ^ (hashes >> np.uint32(15))


def _scrambled(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    words = words * MIX
    return (words ^ (words >> SHIFT)) * MIX


def named_partitions(
    ids: Sequence[str] | Sequence[bytes], partitions: int
) -> NDArray[np.int64]:
    """The partition in which each id, or key, belongs, of so many: int64 (n,)."""
    parts = [ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK)]
    hashes = [murmur2(_bytes(part)) for part in parts]
    positive = np.concatenate([_NONE, *hashes]) & np.uint32(0x7FFFFFFF)
    return positive.astype(np.int64) % partitions


def _bytes(ids: Sequence[str] | Sequence[bytes]) -> list[bytes]:
    if isinstance(ids[0], str):
        return list(map(str.encode, cast("Sequence[str]", ids)))
    return list(cast("Sequence[bytes]", ids))


@dataclass(frozen=True, slots=True)
class InItsPartition:
    """A row format that refuses rows from another partition than their id names.

    A record without a key went to any partition, so it counts by the id in its value:
    an id is counted in one partition, whatever a producer did. Where a key is more than
    the id, its bytes are what its producer went by.

    Attributes:
        format: says what each record means.
        partitions: of the topic that the records come from.
    """

    format: RowFormat
    partitions: int

    async def prepare(self, records: Sequence[Record]) -> None:
        """As the format does."""
        await self.format.prepare(records)

    def decode(self, records: Sequence[Record]) -> DecodedBatch:
        """As the format does; strangers in this partition are bad."""
        decoded = self.format.decode(records)
        if not decoded.ids:
            return decoded
        here = records[0].partition  # a batch is of one partition
        keys = [origin.key for origin in decoded.origins or ()] or decoded.ids
        strange = named_partitions(keys, self.partitions) != here
        if not strange.any():
            return decoded
        return decoded.without(strange, len(records), Reason.WRONG_PARTITION)
