"""Basis: what an epoch was counted from, so that a successor sees if rows changed.

SENSITIVE: whoever guesses a whole table can check the guess against its digest, so a
basis is kept under the truth's keys, and is read by the curator alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sigmacount.models.lease import Fence


@dataclass(frozen=True, slots=True)
class EpochBasis:
    """Offsets and a digest of the true counts that one epoch was made from.

    Attributes:
        token: of the curator that published it.
        digest: of the true counts, as ``counts_digest`` makes it.
        generations: of each partition; a rebuild raises that of the partition.
        positions: offset of the first record not yet counted, for each partition.
    """

    token: int
    digest: str
    generations: tuple[int, ...]
    positions: tuple[int, ...]


def counts_digest(codes: NDArray[np.int64], counts: NDArray[np.int64]) -> str:
    """Hex SHA-256 of the cells that are not empty: equal for equal tables alone.

    Shapes: int64 (C,) each, codes ascending and each once. 10^6 cells: about 30 ms.
    """
    kept = np.flatnonzero(counts)
    made = hashlib.sha256(codes[kept].astype("<i8").tobytes())
    made.update(counts[kept].astype("<i8").tobytes())
    return made.hexdigest()


@dataclass(frozen=True, slots=True)
class BasesModel:
    """The bases of the served epoch and of the one that is about to be.

    The pure model of ``store/lua/basis_put.lua``.

    Attributes:
        held: epoch → its basis, as a text.
        fence: older curators put nothing here.
    """

    held: Mapping[int, str] = field(default_factory=dict)
    fence: Fence = field(default_factory=Fence)

    def put(self, token: int, served: int, epoch: int, basis: str) -> BasesModel:
        """The bases of ``served``, if it has one, and of ``epoch``; of no other.

        Raises:
            Fenced: a newer curator was here; nothing is kept.
        """
        fence = self.fence.admit(token)
        kept = {e: text for e, text in self.held.items() if e == served}
        return BasesModel(MappingProxyType(kept | {epoch: basis}), fence)


@dataclass(frozen=True, slots=True)
class SummaryModel:
    """The summary of the audit trail that is kept.

    The pure model of ``store/lua/trail_put.lua``.
    """

    held: str | None = None
    fence: Fence = field(default_factory=Fence)

    def put(self, token: int, summary: str) -> SummaryModel:
        """This one, and no other.

        Raises:
            Fenced: a newer curator was here; nothing is kept.
        """
        return SummaryModel(summary, self.fence.admit(token))
