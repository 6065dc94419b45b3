"""The gate: no epoch comes from rows that are only half loaded, or half rebuilt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from store.sensitive import CountedPosition

Ends = Callable[[], Awaitable[Mapping[int, int]]]


class LoadingGate:
    """Shut until the rows that were there at the start have all been counted.

    A load, or a rebuild, is not an evolution of the database: published halfway, it
    would be charged as one, and its increments would be exact. For the same reason
    the first epoch is not that of an empty table: all that it could show is the noise
    itself. ``None`` for the ends leaves the gate open, which is the operator's choice.

    ``passed`` are the generations of the partitions that the served epoch came from:
    they were waited for then, and a takeover waits for nothing more.
    """

    def __init__(self, ends: Ends | None, passed: Sequence[int] | None = None) -> None:
        self._ends = ends
        self._generations = None if passed is None else tuple(passed)
        self._wanted: dict[int, int] = {}

    async def open(
        self, positions: Sequence[CountedPosition], *, nothing: bool
    ) -> bool:
        """Whether these positions are past all that has to be waited for.

        ``nothing`` says that nothing was ever released and there is no row yet.
        """
        if self._ends is None:
            return True
        if nothing:
            return False
        generations = tuple(position.generation for position in positions)
        if generations != self._generations:
            self._wanted = dict(await self._ends())
            self._generations = generations
        wanted = self._wanted
        return all(at.next >= wanted.get(p, 0) for p, at in enumerate(positions))
