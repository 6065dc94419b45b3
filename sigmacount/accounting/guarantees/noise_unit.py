"""Noise unit: what was paid for and shown together, and what is promised of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypedDict

from sigmacount.accounting.composition import PARALLEL, Composition
from sigmacount.mechanisms import Amount

ADJACENCY: Final = "add-or-remove-one-row"
ANY_ROW: Final = "any one row with its whole history: that it came, changed or left"
UNCHANGED_ROW: Final = (
    "a row present and unchanged in every published epoch; a row inserted,"
    " changed or deleted after the first is shown exactly"
)
EVERY_ROW: Final = "every row: the empty set counts 0, whatever the table holds"


@dataclass(frozen=True, slots=True)
class NoiseUnit:
    """What was paid for and shown together: one algebra, or one fresh query.

    Attributes:
        price: of its noise under ``composition``.
        epochs: T ≥ 1, the number of different epochs it was shown in.
        composition: the rule that priced it.
        overlap: κ (``sigmacount.continual``): by how much a second change of one row
            may cost more than its share; 1, which is always true, where nobody says.
    """

    price: Amount
    epochs: int = 1
    composition: Composition = PARALLEL
    overlap: float = 1.0


class PromiseOfAnyMeasure(TypedDict):
    """What an answer promises about one row, whatever it is promised in.

    Attributes:
        measure: which privacy the promise is in: ``epsilon`` for pure ε, or ``rho``.
        composition: how atoms are added up: ``parallel`` or ``paper``.
        adjacency: which two tables the promise compares.
        epochs: T, the number of different epochs the noise's unit was shown in.
        changes_are_exact: True when two epochs differ by the true change.
        protects: whom the promise covers, in words.
    """

    measure: str
    composition: str
    adjacency: str
    epochs: int
    changes_are_exact: bool
    protects: str
