"""Check: one thing that was looked at, how it is, and what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from sigmacount.errors import SigmaError, StoreForbids

Mark = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `sigma doctor`.

    Attributes:
        name: what was looked at, in a word or two.
        mark: ``ok``, ``warn`` or ``fail``.
        words: how it is; in an error of ours the remedy is part of it.
        remedy: what to do, or empty.
    """

    name: str
    mark: Mark
    words: str
    remedy: str = ""

    def as_dict(self) -> dict[str, str]:
        """The same for programs."""
        return asdict(self)


def ok(name: str, words: str) -> Check:
    """All is well."""
    return Check(name, "ok", words)


def warn(name: str, words: str, remedy: str = "") -> Check:
    """It works, and somebody should know."""
    return Check(name, "warn", words, remedy)


def fail(name: str, words: str, remedy: str = "") -> Check:
    """It must be mended."""
    return Check(name, "fail", words, remedy)


def refused(name: str, error: SigmaError) -> Check:
    """A fault raised on purpose; that we may not look is no fault of the service."""
    if isinstance(error, StoreForbids):
        words = "this user of the store may not look"
        return warn(name, words, "run it as the user admin (SIGMA_REDIS_USER)")
    return fail(name, str(error))


def guarded(name: str, checks: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """The checks, and a last one for the error that ended them."""
    try:
        yield from checks()
    except SigmaError as error:
        yield refused(name, error)


async def collected(name: str, checks: AsyncIterator[Check]) -> list[Check]:
    """The same for checks that wait."""
    found: list[Check] = []
    try:
        async for check in checks:
            found.append(check)  # noqa: PERF401  (kept up to the error)
    except SigmaError as error:
        found.append(refused(name, error))
    return found
