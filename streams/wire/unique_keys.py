"""Keys of JSON objects are unique: one that stands twice leaves two meanings.

Decoders keep the last one in silence. Asked of a question, because its answer would be
that of another question.
"""

from __future__ import annotations

import json
from collections import Counter

from sigmacount.errors import InvalidMessage


def checked_keys(value: bytes | str) -> None:
    """Refuse JSON text in which an object names a key twice, at whatever depth.

    The text was decoded before: it is JSON, and nests within the bounds.

    Raises:
        InvalidMessage: it does; the text names the key.
    """
    json.loads(value, object_pairs_hook=_checked, parse_int=str, parse_float=str)


def _checked(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in times if times[name] > 1)
        msg = "stands twice, so which one is meant cannot be known"
        raise InvalidMessage(msg, twice[:64])
    return found
