"""The gate: no epoch comes from rows that are only half loaded, or half rebuilt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from store.sensitive import CountedPosition

Ends = Callable[[], Awaitable[Mapping[int, int]]]


class LoadingGate:
    """Shut until the rows that were there at the start have all been counted.

    A load, or a rebuild, is not an evolution of the database: published halfway, it
    would be charged as one, and its increments would be exact. For the same reason
    the first epoch is not that of an empty table: all that it could show is the noise
    itself. ``None`` for the ends leaves the gate open, which is the operator's choice.

    Where every change is protected (``while_loading``) a load is changes like others,
    and an empty table shows noise that was paid for: the first epoch comes when its
    time has come. A rebuild is still waited for: it would change every row twice.

    ``passed`` are the generations of the partitions that the served epoch came from:
    they were waited for then, and a takeover waits for nothing more.
    """

    def __init__(
        self,
        ends: Ends | None,
        passed: Sequence[int] | None = None,
        *,
        while_loading: bool = False,
    ) -> None:
        self._ends, self._while_loading = ends, while_loading
        self._generations = None if passed is None else self._told_apart(passed)
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
        generations = self._told_apart(position.generation for position in positions)
        if self._generations is None and self._while_loading:
            self._generations = generations
        if generations != self._generations:
            self._wanted = dict(await self._ends())
            self._generations = generations
        wanted = self._wanted
        return all(at.next >= wanted.get(p, 0) for p, at in enumerate(positions))

    def _told_apart(self, generations: Iterable[int]) -> tuple[int, ...]:
        """A first claim (0 to 1) is no rebuild, but the begin of a load."""
        first = 1 if self._while_loading else 0
        return tuple(max(first, each) for each in generations)
