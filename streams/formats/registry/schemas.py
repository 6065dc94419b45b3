"""Schemas by their numbers, each fetched once, before the records that need them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol

SCHEMA_BYTES: Final = 2**20  # of one schema; a table of 1,000 columns has a tenth
KNOWN: Final = 256  # schemas kept; a topic has one for each change of its table
MISSING_SECONDS: Final = 30.0  # for which a number that is not there is not asked again


class RegisteredSchema(NamedTuple):
    """A schema as it was registered.

    Attributes:
        kind: ``AVRO``, ``JSON`` or another word.
        text: as it is written.
        whole: it refers to no other schema.
    """

    kind: str
    text: bytes
    whole: bool = True


class Registry(Protocol):
    """Where schemas are kept."""

    async def fetch(self, number: int) -> RegisteredSchema | None:
        """The schema of that number, or None: there is none.

        Raises:
            StreamUnavailable: nobody can say now; the caller tries again.
        """
        ...


class Schemas:
    """What is known of a registry; bounded, whatever numbers records name.

    ``read`` makes of a schema what its reader needs, or None where it can use nothing
    of it.
    """

    def __init__(
        self,
        registry: Registry,
        read: Callable[[RegisteredSchema], Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry, self._read, self._clock = registry, read, clock
        self._known: dict[int, Any] = {}
        self._missing: dict[int, float] = {}
        self._wanted: frozenset[int] = frozenset()

    async def prepare(self, numbers: Iterable[int]) -> None:
        """Know every one of them that there is.

        Raises:
            StreamUnavailable: the registry does not answer; nothing is lost.
        """
        self._wanted = frozenset(numbers)
        for number in self._wanted:
            if number in self._known or self._is_missing(number):
                continue
            found = await self._registry.fetch(number)
            if found is None:
                self._missing[number] = self._clock()
            else:
                self._known[number] = self._read(found)
        self._forget()

    def known(self, number: int) -> bool:
        """Whether there is such a schema, as far as was asked."""
        return number in self._known

    def get(self, number: int) -> Any:  # noqa: ANN401  (what ``read`` made)
        """What was read of it; None where nothing can be used."""
        return self._known[number]

    def _is_missing(self, number: int) -> bool:
        since = self._missing.get(number)
        return since is not None and self._clock() - since < MISSING_SECONDS

    def _forget(self) -> None:
        """The oldest that the records at hand do not need."""
        for kept in (self._known, self._missing):
            old = [number for number in kept if number not in self._wanted]
            for number in old[: max(0, len(kept) - KNOWN)]:
                del kept[number]
