"""Suggestions: names as people type them, in any case, else the closest ones."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from sigmacount.errors import UnknownName

CLOSE: Final = 3  # names offered; more would bury the right one
ALIKE: Final = 0.5  # difflib's measure; below it a name is no help
LISTED: Final = 8  # names listed when none is close
COMPARED: Final = 500  # known names that are compared; an error must stay cheap
LONGEST: Final = 64  # characters of a wrong name that are compared and repeated


def find_name(
    name: str, known: Sequence[str], what: str, position: int | None = None
) -> int:
    """Index of ``name`` in ``known``; upper and lower case differ only if they must.

    Raises:
        UnknownName: no such name, or only case tells several apart; the text
            offers the closest names, the caller takes one of them.
    """
    if name in known:
        return known.index(name)
    folded = name.casefold()
    alike = [i for i, other in enumerate(known) if other.casefold() == folded]
    if len(alike) == 1:
        return alike[0]
    msg = f"there is no {what} {shortened(name)}. {suggestion(name, known)}"
    raise UnknownName(msg, position)


def suggestion(name: str, known: Sequence[str]) -> str:
    """One sentence that offers the names closest to a wrong one."""
    folded: dict[str, list[str]] = {}
    for other in known[:COMPARED]:
        folded.setdefault(other.casefold(), []).append(other)
    wanted = name[:LONGEST].casefold()
    close = difflib.get_close_matches(wanted, folded, CLOSE, ALIKE)
    if close:
        offered = [repr(other) for each in close for other in folded[each]]
        return f"Did you mean {' or '.join(offered)}?"
    more = ", …" if len(known) > LISTED else ""
    return f"Known: {', '.join(map(repr, known[:LISTED]))}{more}."


def shortened(value: object) -> str:
    """A wrong name or constant as people see it, cut where it would flood a log."""
    shown = repr(value)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
