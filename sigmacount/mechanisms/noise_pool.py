"""Noise pool: numbers drawn before anybody asks, each for one query alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence


class NoisePool:
    """Drawn numbers that wait, oldest first, and those given to a query already.

    A number leaves the pool for good when it is assigned. Until the assignment is
    known to be kept, the same unit is given the same number, however often the act is
    repeated: an attempt whose reply was lost may have been kept.

    Not for two threads at once.
    """

    __slots__ = ("_given", "_waiting")

    def __init__(self) -> None:
        self._waiting: deque[int] = deque()
        self._given: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, drawn: Iterable[int]) -> None:
        """Numbers nobody has been given, behind those that are there."""
        self._waiting.extend(drawn)

    def assign(self, units: Sequence[str]) -> dict[str, int]:
        """A number for each of these queries, its own; giving one takes no draw.

        Raises:
            ValueError: more units than numbers, and nothing was assigned; the caller
                has a bug, for it makes sure of enough before it takes questions.
        """
        new = [unit for unit in dict.fromkeys(units) if unit not in self._given]
        if len(new) > len(self._waiting):
            msg = f"{len(new)} units want noise, {len(self._waiting)} were drawn ahead"
            raise ValueError(msg)
        self._given |= {unit: self._waiting.popleft() for unit in new}
        return {unit: self._given[unit] for unit in units}

    def forget(self, units: Iterable[str]) -> None:
        """What these were given is in the store from here on, and leaves the pool."""
        for unit in units:
            self._given.pop(unit, None)
