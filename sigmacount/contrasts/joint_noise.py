"""JointGaussian: noise of several scales, drawn together for one measurement."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sigmacount.mechanisms import Amount, DiscreteGaussian, Mechanism, Watch, unwatched


@dataclass(frozen=True, slots=True)
class JointGaussian:
    """Discrete Gaussian noise for sets of numbers, each set with its own σ and Δ².

    Sets compose: the price is the sum of theirs. Numbers of one σ are drawn in one
    call; together a row moves them by √ΣΔ², and for that the draw is certified.

    Shapes: ``parts`` and ``rows`` have one entry a set, in the order of the numbers.

    Attributes:
        key: of whose noise it is.
    """

    key: str
    parts: tuple[DiscreteGaussian, ...]
    rows: tuple[int, ...]
    price: Amount = field(init=False)

    def __post_init__(self) -> None:
        units = sum(part.price.units for part in self.parts)
        object.__setattr__(self, "price", Amount.zcdp(units))

    @property
    def sensitivity(self) -> float:
        """The largest change of one set's numbers by one row, in the L2 norm."""
        return max(part.sensitivity for part in self.parts)

    @property
    def variance(self) -> float:
        """Mean variance of the numbers (rows²): they differ from set to set."""
        pairs = zip(self.parts, self.rows, strict=True)
        return sum(p.variance * n for p, n in pairs) / sum(self.rows)

    def quantile(self, terms: int, confidence: float) -> int:
        """See ``Mechanism``; of the widest noise, so too wide for every other."""
        widest = max(self.parts, key=lambda part: part.scale)
        return widest.quantile(terms, confidence)

    def price_beyond(self, held: Mechanism | None) -> Amount:  # noqa: ARG002
        """The whole price: a measurement is drawn whole or not at all."""
        return self.price

    def draw(
        self, shape: int | tuple[int, ...], watch: Watch = unwatched
    ) -> NDArray[np.int64]:
        """Noise for every number: int64 (Σ rows,).

        Raises:
            ValueError: another shape; the caller has a bug.
            UncertifiedNoise: OpenDP vouches for less than was asked; what was drawn
                is forgotten, and the operator pins another release of OpenDP.
        """
        size = math.prod(shape) if isinstance(shape, tuple) else shape
        if size != sum(self.rows):
            msg = f"{size} draws asked of noise for {sum(self.rows)} numbers"
            raise ValueError(msg)
        scale = np.repeat([part.scale for part in self.parts], self.rows)
        squared: Counter[float] = Counter()
        for part in self.parts:
            squared[part.scale] += part.squared_sensitivity
        noise = np.empty(size, np.int64)
        for each, together in squared.items():
            where = scale == each
            noise[where] = DiscreteGaussian(each, together).draw(
                int(where.sum()), watch
            )
        return noise.reshape(shape)
