"""Text: the lines of a file, unpacked and decoded, or why it has none."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, cast

from cli.exits import CommandRefused

STDIN = Path("-")
LONGEST = 2**28  # characters of a line, which is held in memory as a whole
GZIP = b"\x1f\x8b"
_UTF16 = "it is UTF-16 text: `iconv -f UTF-16 -t UTF-8` makes it UTF-8"
# How files begin that are no text, and what makes them one.
FOREIGN = {
    b"PK\x03\x04": "it is a zip archive or a workbook: unpack it, or save it as CSV",
    b"PAR1": "it is a Parquet file: write it as CSV or JSON lines",
    b"BZh": "it is packed by bzip2: `bzcat FILE | sigma ingest -` unpacks it",
    b"\xfd7zXZ": "it is packed by xz: `xzcat FILE | sigma ingest -` unpacks it",
    b"\x28\xb5\x2f\xfd": "it is packed by zstd: `zstdcat FILE | sigma ingest -`"
    " unpacks it",
    b"\xff\xfe": _UTF16,
    b"\xfe\xff": _UTF16,
}
UNREADABLE = (OSError, EOFError, zlib.error, UnicodeDecodeError)


class Meter:
    """How many bytes of a file have been read so far, and how it ended.

    Attributes:
        cut: the last line has no end, as in a file that was cut.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self.cut = False

    def attach(self, file: IO[bytes]) -> None:
        """Follow this file."""
        self._file = file

    def bytes(self) -> int:
        """Bytes taken from the file, read-ahead included; 0 where unknown."""
        if self._file is None or self._file.closed or not self._file.seekable():
            return 0
        return self._file.tell()


def called(path: Path) -> str:
    """What a message calls a file."""
    return "standard input" if path == STDIN else str(path)


def lines(path: Path, meter: Meter) -> Generator[str, None, None]:
    """The lines of a file with their ends; CR, LF and CRLF all end one.

    Raises:
        Refusal: it cannot be opened, is cut, or is no text; the words go after the
            name of the file, and say how far it could be read.
    """
    number, line = 0, "\n"
    try:
        with ExitStack() as stack:
            text = _decoded(_bytes(path, meter, stack))
            for number, line in enumerate(iter(partial(text.readline, LONGEST), ""), 1):
                _check(number, line)
                yield line
            meter.cut = not line.endswith(("\n", "\r"))
    except UNREADABLE as error:
        msg = f"cannot be read: {_why(error, number)}"
        raise CommandRefused(msg) from None


def _bytes(path: Path, meter: Meter, stack: ExitStack) -> IO[bytes]:
    """The unpacked bytes; packing is seen by how they begin, not by the name."""
    raw = stack.enter_context(_opened(path))
    meter.attach(raw)
    head = raw.peek(len(GZIP))
    if head.startswith(GZIP):
        return cast("IO[bytes]", stack.enter_context(gzip.open(raw)))
    if path.suffix.lower() == ".gz":
        msg = "cannot be read: its name ends in .gz, but it is no gzip file"
        raise CommandRefused(msg)
    return raw


def _opened(path: Path) -> io.BufferedReader:
    if path == STDIN:
        return io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer))
    return path.open("rb")


def _decoded(raw: IO[bytes]) -> IO[str]:
    head = raw.peek(6)  # type: ignore[attr-defined]
    for magic, why in FOREIGN.items():
        if head.startswith(magic):
            msg = f"cannot be read: {why}"
            raise CommandRefused(msg)
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")


def _check(number: int, line: str) -> None:
    if "\0" in line:
        msg = f"cannot be read: line {number} holds a NUL byte, so it is no UTF-8 text"
        raise CommandRefused(msg)
    if len(line) >= LONGEST:
        msg = f"cannot be read: line {number} exceeds {LONGEST:,} characters"
        raise CommandRefused(msg)


def _why(error: Exception, number: int) -> str:
    """What went wrong after so many lines, without a word of what the file holds."""
    if isinstance(error, UnicodeDecodeError):
        near = number + 1 + error.object[: error.start].count(b"\n")
        return (
            f"near line {near} it is no UTF-8 text: `iconv -f LATIN1 -t UTF-8` makes"
            " it UTF-8 if it is Latin-1"
        )
    if isinstance(error, EOFError):
        return f"it is a gzip file that was cut after line {number}"
    if isinstance(error, zlib.error | gzip.BadGzipFile):
        return f"it is a gzip file that is damaged after line {number}"
    return getattr(error, "strerror", None) or type(error).__name__
