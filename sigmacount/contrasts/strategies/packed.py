"""Packed: an integer matrix as a short word of a message, and back with suspicion."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_ENTRIES: Final = 2**20  # of one matrix: 1 MiB of int8, 2 MiB of int16

Packed = Mapping[str, object]


def packed(matrix: NDArray[np.int64], width: int) -> dict[str, object]:
    """The matrix in ``width`` bytes an entry, compressed: ``unpacked`` reads it.

    Raises:
        ValueError: an entry needs more bytes; the caller has a bug.
    """
    narrow = matrix.astype(_kind(width))
    if (narrow != matrix).any():
        msg = f"an entry does not fit into {width} bytes"
        raise ValueError(msg)
    data = base64.b64encode(zlib.compress(narrow.tobytes(), 9))
    return {"rows": len(matrix), "data": data.decode()}


def unpacked(form: Packed, width: int, columns: int) -> NDArray[np.int64]:
    """The matrix of ``packed``: int64 (rows, columns), read-only.

    Raises:
        ValueError: malformed, too large, or not exactly so many entries.
        KeyError, TypeError: not a packed matrix at all. The reader of the whole
            message turns either into one refusal of it.
    """
    rows, data = form["rows"], form["data"]
    if type(rows) is not int or not isinstance(data, str) or rows < 1:
        msg = "a packed matrix has rows and data"
        raise ValueError(msg)
    size = rows * columns * width
    if rows * columns > MOST_ENTRIES:
        msg = f"a packed matrix has at most {MOST_ENTRIES} entries"
        raise ValueError(msg)
    raw = _inflated(base64.b64decode(data, validate=True), size)
    matrix = np.frombuffer(raw, _kind(width)).reshape(rows, columns).astype(np.int64)
    matrix.setflags(write=False)
    return matrix


def _kind(width: int) -> str:
    """Little-endian signed integers of so many bytes, by numpy's name."""
    return f"<i{width}"


def _inflated(data: bytes, size: int) -> bytes:
    """Exactly ``size`` bytes; a longer stream is not followed to its end."""
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(data, size + 1)
    except zlib.error:
        raw = b""
    if len(raw) != size or not stream.eof or stream.unused_data:
        msg = "a packed matrix does not have the entries that it says"
        raise ValueError(msg)
    return raw
