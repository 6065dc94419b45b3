"""ContrastMeasurement: many attribute sets measured together, as one unit of noise."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts import measured_set
from sigmacount.contrasts.covariance import Covariance
from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.joint_noise import JointGaussian
from sigmacount.contrasts.measured_set import MeasuredSet
from sigmacount.contrasts.rungs import ContrastSet
from sigmacount.contrasts.strategies.effort import Effort
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPlan
from sigmacount.mechanisms import Amount

Margins: TypeAlias = Callable[[ContrastSet], NDArray[np.int64]]
CHUNK: Final = 2**22  # cells of tables that are stacked for one pass: 32 MiB
MOST_SETS: Final = 100_000  # a few seconds of an epoch
MOST_DRAWS: Final = 2**21  # about 25 s of noise once, 16 MiB of the vault


class AlikeSets(NamedTuple):
    """Sets of one strategy, and where the numbers of each begin.

    Shapes: ``numbers`` intp (n, rows).
    """

    strategy: SetStrategy
    sets: list[ContrastSet]
    numbers: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ContrastMeasurement:
    """Integer contrasts of many attribute sets: one charge, one vector of noise.

    The numbers of the sets lie one after the other, in the order of ``parts``: by
    size of the set, then by attributes. Which sets, which matrices and which σ were
    read off a declaration and a log of questions, never off rows.

    Make one with ``of``.

    Attributes:
        draws: how many numbers are measured.
        mechanism: the noise of all of them, one draw a number; its price is Σ_S
            ⌈Δ_S²·10¹²/(2σ_S²)⌉ pico-ρ.
        id: 16 hex digits, equal exactly when grid, sets, matrices and σ are equal:
            such a measurement keeps its noise and costs nothing again.

    Raises:
        ValueError: no set, one twice, or one that is not of the grid or of another
            shape than its matrix; the caller has a bug.
    """

    grid: Grid
    parts: tuple[MeasuredSet, ...]
    id: str = field(init=False)
    draws: int = field(init=False)
    mechanism: JointGaussian = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sets = self.sets
        fitting = (part.of(self.grid) for part in self.parts)
        if not sets or len(set(sets)) < len(sets) or not all(fitting):
            msg = "a measurement has sets of its grid, each of them once"
            raise ValueError(msg)
        made = hashlib.blake2b(self.grid.id.encode(), digest_size=8)
        for part in self.parts:
            about = part.attributes, part.strategy.key, part.deviation.hex()
            made.update(repr(about).encode())
        rows = tuple(part.strategy.rows for part in self.parts)
        noises = tuple(part.noise for part in self.parts)
        object.__setattr__(self, "id", made.hexdigest())
        object.__setattr__(self, "draws", sum(rows))
        key = f"contrasts-{self.id}"
        object.__setattr__(self, "mechanism", JointGaussian(key, noises, rows))

    @staticmethod
    def of(grid: Grid, parts: Mapping[ContrastSet, MeasuredSet]) -> ContrastMeasurement:
        """These sets, in their order."""
        order = sorted(parts, key=lambda s: (len(s), s))
        return ContrastMeasurement(grid, tuple(parts[each] for each in order))

    @property
    def sets(self) -> tuple[ContrastSet, ...]:
        """Which are measured, in the order of the numbers."""
        return tuple(part.attributes for part in self.parts)

    @property
    def price(self) -> Amount:
        """What the whole of it costs, in pico-ρ."""
        return self.mechanism.price

    @property
    def covariances(self) -> dict[ContrastSet, Covariance]:
        """Of the estimated coefficients of every set (rows²)."""
        return {part.attributes: part.covariance for part in self.parts}

    def measured(self, margins: Margins) -> NDArray[np.int64]:
        """What is measured of these rows, without noise: int64 (draws,), exact.

        Shapes: ``margins`` of a set gives its table, int64 (Π b_i,) in C order or of
        the set's shape: rows of the data set in every cell, the blocks those of the
        rung where contrasts are of one that has later ones.
        """
        found = np.empty(self.draws, np.int64)
        for batch in self._batches():
            shape = batch.strategy.shape
            tables = np.stack([margins(each).reshape(shape) for each in batch.sets])
            found[batch.numbers] = batch.strategy.measured(tables)
        return found

    def estimates(
        self, noisy: NDArray[np.int64]
    ) -> dict[ContrastSet, NDArray[np.float64]]:
        """Unbiased estimates of the coefficients a_S = φ_S M_S of every set.

        Shapes: ``noisy`` int64 (draws,); float64 (p_S,) each.
        """
        found: dict[ContrastSet, NDArray[np.float64]] = {}
        for batch in self._batches():
            numbers = noisy[batch.numbers].astype(np.float64)
            estimates = batch.strategy.estimates(numbers)
            found |= dict(zip(batch.sets, estimates, strict=True))
        return {each: found[each] for each in self.sets}

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form; ``from_wire`` reads it."""
        return {
            "id": self.id,
            "grid": self.grid.to_wire(),
            "sets": measured_set.to_wire(self.parts),
        }

    @staticmethod
    def from_wire(schema: Schema, form: Mapping[str, object]) -> ContrastMeasurement:
        """The measurement of ``to_wire``.

        Raises:
            InvalidPlan: of another schema, or as ``over``.
        """
        grid = Grid.from_wire(schema, form.get("grid"))
        return ContrastMeasurement.over(grid, form, Effort())

    @staticmethod
    def over(
        grid: Grid, form: Mapping[str, object], effort: Effort
    ) -> ContrastMeasurement:
        """The same, of a grid that is known; ``effort`` is what is left of the plan's.

        Raises:
            InvalidPlan: malformed, too large, too much work, not in order, or with an
                id that is not its own; the message becomes a dead letter, the old
                plan stays.
        """
        try:
            parts = measured_set.from_wire(grid, form["sets"], MOST_SETS, effort)
            made = ContrastMeasurement.of(grid, {p.attributes: p for p in parts})
            sound = len(made.parts) == len(parts) and made.id == form["id"]
        except (ArithmeticError, LookupError, TypeError, ValueError):
            sound = False
        if not sound or made.draws > MOST_DRAWS:
            msg = "the measurement on the wire is malformed or too large"
            raise InvalidPlan(msg)
        return made

    def _batches(self) -> Iterator[AlikeSets]:
        """Sets of one strategy, as many as fit in one pass."""
        rows = self.mechanism.rows
        starts = np.cumsum(rows, dtype=np.intp) - np.array(rows, np.intp)
        alike: dict[SetStrategy, list[int]] = {}
        for k, part in enumerate(self.parts):
            alike.setdefault(part.strategy, []).append(k)
        for strategy, places in alike.items():
            cells = math.prod(strategy.shape)
            many = max(1, CHUNK // cells)
            for first in range(0, len(places), many):
                chosen = places[first : first + many]
                sets = [self.parts[k].attributes for k in chosen]
                numbers = starts[chosen][:, None] + np.arange(strategy.rows)
                yield AlikeSets(strategy, sets, numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ContrastMeasurement) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)
