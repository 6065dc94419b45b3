"""Rungs: nested partitions of one attribute, and the contrasts that each adds.

The first rung compares the blocks of the first partition. A later cut inside a block
adds a rung: what its parts differ by, and nothing of what was compared before. Parts
share the mass of their block equally (the nested law), so contrasts of different rungs
are orthogonal and those that were measured keep their meaning.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.axes import MOST_SIZES, averaging, edge, orthonormal
from sigmacount.sets import Blocks, frozen

ContrastSet: TypeAlias = tuple[int, ...]  # attributes by rung: ``factor_of`` each
PlacedSet: TypeAlias = tuple[ContrastSet, tuple[slice, ...]]
RUNG: Final = 2**20  # attributes a schema cannot have
SCALE: Final = 255  # the norm of a detail's column, or that of the most parts: 1/500


def factor_of(attribute: int, rung: int) -> int:
    """The contrasts of one rung, counted from 0; of the first: the attribute itself."""
    return attribute + RUNG * rung


def attributes_of(contrasts: ContrastSet) -> tuple[int, ...]:
    """Whose contrasts they are, of whichever rungs."""
    return tuple(factor % RUNG for factor in contrasts)


def rungs_of(contrasts: ContrastSet) -> tuple[int, ...]:
    """The rung of each, counted from 0."""
    return tuple(factor // RUNG for factor in contrasts)


@dataclass(frozen=True, eq=False)
class Rung:
    """Contrasts of a partition inside the blocks of the one before.

    Shapes (b blocks, of B before):
        parents  intp (b,), the block before that holds each
        shares   int64 (B,), 1/u of each block before, under the nested law
        basis    float64 (p, b), φ: orthonormal under that law, zero-sum within each
            block before
    """

    parents: Blocks
    shares: NDArray[np.int64]

    @cached_property
    def parts(self) -> tuple[Blocks, ...]:
        """The parts of every block before, those that did not fall apart among them."""
        order = np.argsort(self.parents, kind="stable")
        ends = np.cumsum(np.bincount(self.parents))[:-1]
        return tuple(np.split(order, ends))

    @cached_property
    def basis(self) -> NDArray[np.float64]:
        """φ; made when it is first wanted, since its size is that of b squared."""
        if self.plain:
            return orthonormal(self.size)
        rows = [np.zeros((0, self.size))]
        for share, among in zip(self.shares.tolist(), self.parts, strict=True):
            own = np.zeros((len(among) - 1, self.size))
            own[:, among] = math.sqrt(share) * orthonormal(len(among))
            rows.append(own)
        return frozen(np.concatenate(rows))

    @property
    def size(self) -> int:
        """B."""
        return len(self.parents)

    @property
    def contrasts(self) -> int:
        """How many there are: Σ (r − 1) over the blocks that fall apart into r."""
        return self.size - len(self.shares)

    @property
    def law(self) -> NDArray[np.float64]:
        """u: float64 (b,), the mass of each block."""
        parts = np.bincount(self.parents)
        mass: NDArray[np.float64] = 1 / (self.shares * parts)[self.parents]
        return mass

    @property
    def averaging(self) -> NDArray[np.float64]:
        """φ·u: a function on blocks → its coefficients: float64 (p, b)."""
        return self.basis / self.size if self.plain else self.basis * self.law

    @property
    def weights(self) -> NDArray[np.float64]:
        """(r − 1)/u of the block before, of each contrast: float64 (p,).

        What its square counts where noise at Δ = 1 treats all parts alike.
        """
        counts = np.bincount(self.parents) - 1
        made: NDArray[np.float64] = np.repeat(counts * self.shares, counts) * 1.0
        return made

    @property
    def plain(self) -> bool:
        """Whether it is the first: there was one block before."""
        return len(self.shares) == 1

    @property
    def key(self) -> bytes:
        """Tells it from every other rung."""
        both = self.parents, self.shares
        return b"".join(each.astype("<i8").tobytes() for each in both)

    def edge(self) -> NDArray[np.int64]:
        """E in integers: m(r·I − J) inside each block that falls apart into r.

        m evens out the norms, as far as integers do: one σ for parts of 2 and of 6
        would leave one of them with noise that nobody wants.

        Shapes: int64 (Σ r, b), or that of ``edge`` for the first rung.
        """
        if self.plain:
            return edge(self.size)
        cut = [among for among in self.parts if len(among) > 1]
        norms = [math.sqrt(r * (r - 1)) for r in map(len, cut)]
        even = [round(max(SCALE, *norms) / norm) for norm in norms]
        common = reduce(math.gcd, even)
        rows = np.zeros((sum(map(len, cut)), self.size), np.int64)
        first = 0
        for m, among in zip(even, cut, strict=True):
            own = (m // common) * (len(among) * np.eye(len(among), dtype=np.int64) - 1)
            rows[first : first + len(among), among] = own
            first += len(among)
        return rows

    def zero_sum(self, factor: NDArray[np.int64]) -> bool:
        """Whether every row adds up to zero within each block before."""
        sums = np.zeros((len(self.shares), len(factor)), np.int64)
        np.add.at(sums, self.parents, factor.T)
        return not sums.any()


@dataclass(frozen=True, eq=False)
class Ladder:
    """An attribute of a table: all its rungs, and the law of its finest blocks.

    Shapes (b finest blocks):
        law        float64 (b,), u
        basis      float64 (b, b): [1; φ of the first rung; φ of the second; …]
        averaging  float64 (b, b): the same with every column times u, so a function on
            blocks → its mean and its coefficients
        ancestors  for each rung, intp (b,): its block that holds each finest one
    """

    rungs: tuple[Rung, ...]

    @cached_property
    def law(self) -> NDArray[np.float64]:
        """See the shapes."""
        return frozen(self.rungs[-1].law)

    @cached_property
    def basis(self) -> NDArray[np.float64]:
        """See the shapes; made when it is first wanted, and so is ``averaging``."""
        pairs = zip(self.rungs, self.ancestors, strict=True)
        details = [rung.basis[:, above] for rung, above in pairs]
        return frozen(np.concatenate([np.ones((1, self.size)), *details]))

    @cached_property
    def averaging(self) -> NDArray[np.float64]:
        """See the shapes."""
        return averaging(self.size) if self.plain else frozen(self.basis * self.law)

    @cached_property
    def ancestors(self) -> tuple[Blocks, ...]:
        """See the shapes."""
        found = [np.arange(self.size)]
        for rung in reversed(self.rungs[1:]):
            found.append(rung.parents[found[-1]])
        return tuple(reversed(found))

    @staticmethod
    @lru_cache(maxsize=MOST_SIZES)
    def uniform(size: int) -> Ladder:
        """Of one rung."""
        return Ladder((Rung(np.zeros(size, np.intp), np.ones(1, np.int64)),))

    def refined(self, parents: Blocks) -> Ladder:
        """With one rung more, unless no block falls apart.

        Shapes: ``parents`` intp (b,), which of its finest blocks holds each new one.
        """
        last = self.rungs[-1]
        if len(parents) == last.size:
            return self
        shares = (last.shares * np.bincount(last.parents))[last.parents]
        return Ladder((*self.rungs, Rung(parents, shares)))

    @property
    def size(self) -> int:
        """B."""
        return self.rungs[-1].size

    @property
    def plain(self) -> bool:
        """Whether there is one rung, and the law uniform."""
        return self.height == 1

    @property
    def height(self) -> int:
        """How many rungs there are."""
        return len(self.rungs)

    @property
    def slots(self) -> tuple[slice, ...]:
        """Which rows of ``basis`` are the mean, and which each rung's."""
        ends = [0, 1, *(rung.contrasts for rung in self.rungs)]
        starts = list(itertools.accumulate(ends))
        return tuple(slice(*pair) for pair in itertools.pairwise(starts))


def first_rungs(shape: Iterable[int]) -> tuple[Rung, ...]:
    """Of attributes of so many blocks, none of them cut."""
    return tuple(Ladder.uniform(size).rungs[0] for size in shape)


def parts_within(
    attributes: Sequence[int], axes: Sequence[Ladder]
) -> Iterator[PlacedSet]:
    """Every set of contrasts over these, and where it is in a table of coefficients.

    At most one rung of each attribute; the first is the set of none, of the total.
    """
    choices = [
        [
            ((factor_of(i, rung - 1),) if rung else (), slot)
            for rung, slot in enumerate(axis.slots)
        ]
        for i, axis in zip(attributes, axes, strict=True)
    ]
    for chosen in itertools.product(*choices):
        found = tuple(factor for factors, _ in chosen for factor in factors)
        yield found, tuple(slot for _, slot in chosen)
