"""JSON: one object a line, or one array of objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain

from cli.exits import CommandRefused
from cli.reading.row import NOT_AN_OBJECT, NOT_UNICODE, TWICE, FileRow, Sheet


class _Twice(dict[str, object]):
    """An object that names a key twice: which value is meant is not guessed."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Twice(made)


_HELD = 1_000  # rows that are looked through for one that has keys

# NaN and Infinity are no JSON, but Python writes them: they stay text.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=str)


def sheet(lines: Iterator[str]) -> Sheet:
    """The rows of JSON text, and the keys of the first of them.

    Raises:
        Refusal: it begins like an array and is none.
    """
    first = next((line for line in enumerate(lines, 1) if line[1].strip()), None)
    if first is None:
        return Sheet((), iter(()))
    number, line = first
    if line.lstrip().startswith("["):
        rows = _elements(line + "".join(lines), number)
    else:
        rows = _lines(chain([first], enumerate(lines, number + 1)))
    held: list[FileRow] = []
    for row in rows:
        held.append(row)
        if row.fault is None or len(held) == _HELD:
            break
    names = tuple(held[-1].values) if held else ()
    return Sheet(names, chain(held, rows))


def _lines(numbered: Iterable[tuple[int, str]]) -> Iterator[FileRow]:
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            value = _DECODER.decode(line)
        except (ValueError, RecursionError):
            value = None
        yield _row(number, value, escaped="\\u" in line)


def _elements(text: str, begun: int) -> Iterator[FileRow]:
    """The elements of an array, numbered from 1; it is held in memory as a whole."""
    try:
        values = _DECODER.decode(text)
    except json.JSONDecodeError as wrong:
        where = begun - 1 + wrong.lineno
        msg = f"begins like a JSON array, but is none at line {where}: {wrong.msg}"
        raise CommandRefused(msg) from None
    except (ValueError, RecursionError):
        msg = "begins like a JSON array, but cannot be read as one"
        raise CommandRefused(msg) from None
    escaped = "\\u" in text
    return (_row(i, value, escaped=escaped) for i, value in enumerate(values, 1))


def _row(number: int, value: object, *, escaped: bool) -> FileRow:
    if not isinstance(value, dict):
        return FileRow(number, fault=NOT_AN_OBJECT)
    if isinstance(value, _Twice):
        return FileRow(number, fault=TWICE)
    if escaped and not _encodable(value):
        return FileRow(number, fault=NOT_UNICODE)
    return FileRow(number, value)


def _encodable(value: object) -> bool:
    """Whether all text can be sent: half a surrogate pair cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
