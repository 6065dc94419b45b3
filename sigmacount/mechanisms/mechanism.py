"""Mechanism: a law of noise, what a release under it costs, and draws from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.mechanisms.amount import Amount

Shape: TypeAlias = int | tuple[int, ...]
Watch: TypeAlias = Callable[[int], None]


def unwatched(_: int) -> None:
    """Nobody wants to hear of it."""


class Mechanism(Protocol):
    """Additive noise on whole numbers, independent from number to number.

    Its law can be asked at no cost and without drawing: only ``draw`` reaches for the
    library that samples. Two mechanisms of one ``key`` are the same one.

    Attributes:
        sensitivity: by how much one row may change all numbers together (rows), in
            the norm that the law goes by: L1 for Laplace, L2 for Gaussian.
        price: what one release of such numbers costs.
        variance: of one draw (rows²).
        key: a word for its law and price, part of the name under which noise is kept.
    """

    @property
    def sensitivity(self) -> float:
        """See the attributes."""
        ...

    @property
    def price(self) -> Amount:
        """See the attributes."""
        ...

    @property
    def variance(self) -> float:
        """See the attributes."""
        ...

    @property
    def key(self) -> str:
        """See the attributes."""
        ...

    def quantile(self, terms: int, confidence: float) -> int:
        """Smallest q known to give P(|Z| ≤ q) ≥ ``confidence``, Z of ``terms`` draws.

        Units: rows.
        """
        ...

    def price_beyond(self, held: Mechanism | None) -> Amount:
        """What this noise costs where noise of ``held`` is known for the same counts.

        Whether any of that counts towards it is for the law of the noise to say.
        """
        ...

    def draw(self, shape: Shape, watch: Watch = unwatched) -> NDArray[np.int64]:
        """Independent draws of the noise: int64 of ``shape``.

        ``watch`` hears how many numbers each call of the sampler has brought, about
        one a second; what it raises ends the draw, of which nothing is kept.
        """
        ...
