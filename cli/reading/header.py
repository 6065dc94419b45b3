"""The header of a CSV file: every column once, and all that the dataset needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from cli.exits import Refusal

DELIMITERS = (",", ";", "\t", "|")
_SEP = re.compile(r'"?sep=(.)"?\s*')  # the first line of a file made for Excel


def announces(line: str, delimiter: str) -> bool:
    """Whether a line says ``sep=;`` and is no row.

    Raises:
        Refusal: it names another delimiter than the one that was said.
    """
    found = _SEP.fullmatch(line)
    if found is None:
        return False
    if found[1] != delimiter:
        msg = f"says sep={found[1]} in its first line: {_say(found[1])}"
        raise Refusal(msg)
    return True


def check(
    names: Sequence[str], line: str, delimiter: str, needed: Collection[str]
) -> None:
    """Raise Refusal unless these names can be the columns of the file.

    ``line`` is its first line, where another delimiter may show itself.
    """
    if not names:
        msg = "is empty: it has no header line"
        raise Refusal(msg)
    lacking = [name for name in needed if name not in names]
    for other in [d for d in DELIMITERS if d != delimiter and d in line]:
        fields = [field.strip().strip('"') for field in line.split(other)]
        if len(fields) > 1 and _fits(fields, names, needed, lacking=bool(lacking)):
            msg = f"seems to have other delimiters than {delimiter!r}: {_say(other)}"
            raise Refusal(msg)
    if lacking:
        raise Refusal(_lacks(lacking, names))
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        at = [i for i, name in enumerate(names, 1) if name == twice[0]]
        msg = (
            f"names column {twice[0]!r} twice: columns {at[0]} and {at[1]}. Which of"
            " them is meant is not guessed"
        )
        raise Refusal(msg)


def _lacks(lacking: Sequence[str], names: Sequence[str]) -> str:
    """What to do about columns that are not there.

    Names are not listed: without a header line they would be the values of a row.
    """
    folded = {name.casefold(): name for name in names}
    near = {
        name: folded[name.casefold()] for name in lacking if name.casefold() in folded
    }
    if near:
        remedy = " ".join(f"--rename {found}={name}" for name, found in near.items())
        return f"has no column {', '.join(lacking)}; letter by letter it is {remedy}"
    return (
        f"has no column {', '.join(lacking)}. A file without a header line takes"
        " --columns, one that names columns otherwise --rename COLUMN=ATTRIBUTE"
    )


def _fits(
    fields: Sequence[str],
    names: Sequence[str],
    needed: Collection[str],
    *,
    lacking: bool,
) -> bool:
    """Whether a line that is cut otherwise is what was looked for."""
    if lacking:
        return set(needed) <= set(fields) or len(names) == 1
    return len(names) > 1 and len(fields) == len(names)


def _say(delimiter: str) -> str:
    shown = {"\t": r"\t"}.get(delimiter, delimiter)
    return f"say --delimiter '{shown}'"
