"""Options of `sigma ingest`, checked before anything is read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.exits import CommandRefused
from cli.reading.feed import FileFormat
from config.declarations.datasets import Dataset
from sigmacount.domain import Schema

_TAB = "\t"
_TABS = (r"\t", "tab")  # how people write it where a shell gives no tab


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """The options of one run."""

    file: Path
    id_column: str | None = None
    name: str | None = None
    owner: str | None = None
    nulls: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    form: FileFormat | None = None
    delimiter: str | None = None
    multiline: bool = False
    check: bool = False
    state_dir: Path | None = None
    as_json: bool = False

    def __post_init__(self) -> None:
        """Raise Refusal for options that contradict themselves or each other."""
        if self.id_column is not None and self.name is not None:
            msg = "--id names rows by a column, --name by their lines: say one of them"
            raise CommandRefused(msg)
        if self.owner is not None and (self.id_column, self.name) != (None, None):
            msg = "--owner names rows by their owners: say it without --id and --name"
            raise CommandRefused(msg)
        if self.name == "":
            msg = "--name must not be empty"
            raise CommandRefused(msg)
        once("--columns", self.columns)

    @property
    def afterwards(self) -> str:
        """What is true after an interruption."""
        if self.check:
            return "nothing was sent"
        if not self.file.is_file():
            return "rows that were sent stay, and sending them again changes nothing"
        return "the same command goes on from here"

    def meaning(self, dataset: Dataset) -> str:
        """Digest of all that decides which events the rows of the file become."""
        declared = dataset.schema.fingerprint, dataset.columns, dataset.id
        parts = (
            *(self.id_column, self.name, self.nulls, self.columns, self.renamed),
            *(self.form, self.delimiter, self.multiline, self.owner),
            *(*declared, sorted(dataset.missing)),
        )
        return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def once(option: str, names: Sequence[str]) -> None:
    """Raise Refusal if an option names something twice: the last would win unseen."""
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        msg = f"{option} names {twice[0]!r} twice; which is meant is not guessed"
        raise CommandRefused(msg)


def split(columns: str | None) -> tuple[str, ...]:
    """The names of ``--columns A,B,…``."""
    return () if columns is None else tuple(map(str.strip, columns.split(",")))


def delimiter(written: str | None) -> str | None:
    r"""The character that ``--delimiter`` means; ``\t`` is a tab.

    Raises:
        Refusal: it is none, or one that CSV needs for itself.
    """
    if written is None or written == _TAB:
        return written
    if written.lower() in _TABS:
        return _TAB
    if len(written) != 1 or written in '"\r\n\0':
        msg = (
            f"--delimiter {written!r} is not one character; a tab is written"
            r" --delimiter '\t'"
        )
        raise CommandRefused(msg)
    return written


def renames(pairs: Sequence[str], schema: Schema) -> dict[str, str]:
    """Attribute → column, as ``--rename COLUMN=ATTRIBUTE`` says.

    Raises:
        Refusal: no such pair, or one that names something a second time.
        UnknownName: no such attribute.
    """
    found = []
    for pair in pairs:
        column, equals, attribute = pair.partition("=")
        if not (column and equals):
            msg = f"--rename {pair!r} is not COLUMN=ATTRIBUTE"
            raise CommandRefused(msg)
        found.append((schema.names[schema.index(attribute)], column))
    once("--rename", [attribute for attribute, _ in found])
    once("--rename", [column for _, column in found])
    return dict(found)
