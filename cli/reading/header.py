"""The header of a CSV file: every column once, and all that the dataset needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cli.exits import CommandRefused

DELIMITERS = (",", ";", "\t", "|")
_SEP = re.compile(r'"?sep=(.)"?\s*')  # the first line of a file made for Excel


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a CSV file is written.

    Attributes:
        delimiter: between the fields.
        multiline: fields in quotes may hold line breaks.
        columns: names where the file has no header line; else empty.
        needed: columns that the dataset asks for.
    """

    delimiter: str = ","
    multiline: bool = False
    columns: Sequence[str] = ()
    needed: Collection[str] = ()


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
        raise CommandRefused(msg)
    return True


def check(
    names: Sequence[str], line: str, fields: Sequence[str], spelling: Spelling
) -> None:
    """Raise Refusal unless these names can be the columns of the file.

    ``line`` is its first one and ``fields`` what it was cut into: where they do not
    fit the names, another delimiter may show itself.
    """
    if not names:
        msg = "is empty: it has no header line"
        raise CommandRefused(msg)
    lacking = [name for name in spelling.needed if name not in names]
    if lacking or (fields and len(fields) != len(names)):
        _hint(names, line, spelling, lacking)
    if lacking:
        raise CommandRefused(_lacks(lacking, names))
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        at = [i for i, name in enumerate(names, 1) if name == twice[0]]
        msg = (
            f"names column {twice[0]!r} twice: columns {at[0]} and {at[1]}. Which of"
            " them is meant is not guessed"
        )
        raise CommandRefused(msg)


def _hint(
    names: Sequence[str], line: str, spelling: Spelling, lacking: Sequence[str]
) -> None:
    """Raise Refusal if the line would fit when it were cut at another character."""
    for other in (d for d in DELIMITERS if d != spelling.delimiter and d in line):
        cut = [field.strip().strip('"') for field in line.split(other)]
        if lacking:
            fits = len(names) == 1 or set(spelling.needed) <= set(cut)
        else:
            fits = len(cut) == len(names)
        if fits:
            msg = (
                f"seems to have other delimiters than {spelling.delimiter!r}:"
                f" {_say(other)}"
            )
            raise CommandRefused(msg)


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


def _say(delimiter: str) -> str:
    shown = {"\t": r"\t"}.get(delimiter, delimiter)
    return f"say --delimiter '{shown}'"
