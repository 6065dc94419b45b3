"""SetStrategy: what is measured of the table over one attribute set, in integers."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.covariance import Covariance


class SetStrategy(Protocol):
    """An integer matrix A over the cells of a table, zero-sum along every axis.

    y = A·M + z is measured, z of one discrete Gaussian law for all rows. A row of the
    data set moves M by one unit vector, so y by a column of A: its largest squared
    norm Δ² is an integer and decides the price. Equal strategies are equal values.

    Attributes:
        shape: b_i of each attribute of the set.
        rows: how many numbers are measured.
        squared_sensitivity: Δ², exact.
        largest: the largest |entry| of A; |A·M| ≤ largest · rows of the data set.
        unit_covariance: of the estimates, where z has variance 1.
        kind: a word for it on the wire.
        key: tells it from every other strategy over these blocks.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...  # noqa: D102

    @property
    def rows(self) -> int: ...  # noqa: D102

    @property
    def squared_sensitivity(self) -> int: ...  # noqa: D102

    @property
    def largest(self) -> int: ...  # noqa: D102

    @property
    def unit_covariance(self) -> Covariance: ...  # noqa: D102

    @property
    def kind(self) -> str: ...  # noqa: D102

    @property
    def key(self) -> str: ...  # noqa: D102

    def measured(self, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        """A·M of many tables, exact: int64 (n, b_1, …, b_k) → (n, rows)."""
        ...

    def estimates(self, noisy: NDArray[np.float64]) -> NDArray[np.float64]:
        """The coefficients â = φM + noise, by least squares: (n, rows) → (n, p)."""
        ...

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form, without kind and shape."""
        ...
