"""Duplicate ids: those that stand in several partitions, without keeping one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PartitionPair = tuple[int, int]  # two partitions, ascending

REMEDY = (
    "producers chose partitions by different rules: let all use murmur2 of the key,"
    " keep SIGMA_ROWS_PARTITIONER=murmur2 and run `sigma rebuild`; rows in another"
    " partition than their id names then go to the dead letters, where `sigma"
    " dead-letters list` counts them and `replay` sends them to their own"
)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Ids in two partitions or more, each of which counts that id once.

    Attributes:
        ids: how many ids.
        between: pairs of partitions that share some.
    """

    ids: int
    between: tuple[PartitionPair, ...]

    def __str__(self) -> str:
        where = ", ".join(f"{one} and {other}" for one, other in self.between)
        return f"{self.ids} ids stand in two partitions and count twice ({where})"


class DuplicateIds:
    """Partitions' ids as 64-bit hashes (SipHash, its key new in every process).

    Eight bytes an id. Two ids of n share a hash with probability n² / 2^65: below
    one in a million for a few million ids.
    """

    def __init__(self) -> None:
        self._hashes: dict[int, NDArray[np.int64]] = {}

    def put(self, partition: int, ids: Iterable[str] | Iterable[bytes]) -> None:
        """These are the ids of a partition, each once; what was put before is gone."""
        self._hashes[partition] = np.fromiter(map(hash, ids), np.int64)

    def found(self) -> Duplicates:
        """Which ids of all partitions stand in more than one."""
        sizes = [held.size for held in self._hashes.values()]
        hashes = np.concatenate([np.empty(0, np.int64), *self._hashes.values()])
        partitions = np.repeat(list(self._hashes), sizes)
        order = np.argsort(hashes, kind="stable")
        hashes, partitions = hashes[order], partitions[order]
        again = np.flatnonzero(hashes[1:] == hashes[:-1])
        pairs = Counter(
            (min(pair), max(pair))
            for pair in zip(
                partitions[again].tolist(), partitions[again + 1].tolist(), strict=True
            )
        )
        return Duplicates(int(np.unique(hashes[again]).size), tuple(sorted(pairs)))
