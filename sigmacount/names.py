"""Names as people type them: exact first, then any case, else the closest ones."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from sigmacount.errors import UnknownName

CLOSE: Final = 3  # names offered; more would bury the right one
COMPARED: Final = 500  # known names that are compared; an error must stay cheap
LONGEST: Final = 64  # characters of a wrong name that are compared and repeated


def find(
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
    raise UnknownName(f"there is no {what} {shortened(name)}. {advice(name, known)}", position)


def advice(name: str, known: Sequence[str]) -> str:
    """One sentence that offers the names closest to a wrong one."""
    by_case = {other.casefold(): other for other in known[:COMPARED]}
    close = difflib.get_close_matches(name[:LONGEST].casefold(), by_case, CLOSE, 0.5)
    if close:
        return "Did you mean " + " or ".join(f"'{by_case[each]}'" for each in close) + "?"
    some = ", ".join(f"'{other}'" for other in known[:8])
    return f"Known: {some}{', …' if len(known) > 8 else ''}."


def shortened(name: str) -> str:
    """A wrong name as people see it, cut where it would flood a log."""
    return repr(name) if len(name) <= LONGEST else f"{name[:LONGEST]!r}…"
