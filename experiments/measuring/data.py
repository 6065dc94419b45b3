"""Data of the paper's simulation and application: tables of bits.

The paper does not say how nine variables of UCI Adult become 21 columns. This reading
fits its figures: one column for each level of marital status (7), native country is
the United States, capital gain above 0, capital loss above 0, sex (11 columns from 5
variables); race in 3, occupation in 3 (white collar, blue collar, service or other),
education in 3 (up to high school, some college, bachelor and above), income above 50K.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sigmacount.domain import Attribute, Schema

SEED: Final = 20230101
ROWS: Final = 100_000  # of the simulated tables
COLUMNS: Final = 21
MARITAL: Final = (
    "Divorced",
    "Married-AF-spouse",
    "Married-civ-spouse",
    "Married-spouse-absent",
    "Never-married",
    "Separated",
    "Widowed",
)
WHITE_COLLAR: Final = (
    "Adm-clerical",
    "Exec-managerial",
    "Prof-specialty",
    "Sales",
    "Tech-support",
)
BLUE_COLLAR: Final = (
    "Craft-repair",
    "Farming-fishing",
    "Handlers-cleaners",
    "Machine-op-inspct",
    "Transport-moving",
)
SOME_COLLEGE: Final = ("Some-college", "Assoc-acdm", "Assoc-voc")
GRADUATE: Final = ("Bachelors", "Masters", "Doctorate", "Prof-school")
Person = Mapping[str, str | None]


@dataclass(frozen=True, eq=False)
class Bits:
    """A table of yes and no.

    Shapes: values bool (n, c).
    """

    name: str
    values: NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.values)

    def first(self, columns: int) -> Bits:
        """Its first columns."""
        return Bits(self.name, self.values[:, :columns])

    @cached_property
    def schema(self) -> Schema:
        """Binary columns."""
        return binary(self.values.shape[1])

    @cached_property
    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Codes and counts, int64 (m,) each, of the cells that have rows."""
        strides = np.array(self.schema.strides, np.int64)
        return np.unique(self.values @ strides, return_counts=True)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows of every cell, int64 (2^c,), the first column being the outermost."""
        codes, counts = self.cells
        table = np.zeros(self.schema.cells, np.int64)
        table[codes] = counts
        return table


def binary(columns: int) -> Schema:
    """The schema of so many columns of yes and no."""
    return Schema("bits", tuple(Attribute.boolean(f"x{i}") for i in range(columns)))


def simulated() -> Bits:
    """Fair coins, 10^5 rows."""
    rng = np.random.default_rng(SEED)
    return Bits("simulated", rng.integers(0, 2, (ROWS, COLUMNS)).astype(np.bool_))


def adult(people: Sequence[Person]) -> Bits:
    """UCI Adult, one row a person, 21 columns."""
    return Bits("adult", np.array([_encoded(person) for person in people], np.bool_))


def _encoded(person: Person) -> list[bool]:
    text = {name: value or "" for name, value in person.items()}
    job, school = text["occupation"], text["education"]
    white, blue = job in WHITE_COLLAR, job in BLUE_COLLAR
    some, graduate = school in SOME_COLLEGE, school in GRADUATE
    black, other = text["race"] == "Black", text["race"] not in {"White", "Black"}
    return [
        *(text["marital_status"] == each for each in MARITAL),
        text["native_country"] == "United-States",
        int(text["capital_gain"]) > 0,
        int(text["capital_loss"]) > 0,
        text["sex"] == "Male",
        *(text["race"] == "White", black, other),
        *(white, blue, not white and not blue),
        *(not some and not graduate, some, graduate),
        text["income"].startswith(">50K"),
    ]
