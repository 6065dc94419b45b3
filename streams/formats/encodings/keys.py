"""The id that the columns of a key make up, and how the key spells them.

A row is counted in the partition that the bytes of its key name, so one id must never
come with two keys. The id is the text of the key's values; everything else (names,
types, schema) is its *spelling*. Id and spelling together give back the very bytes, so
of one spelling an id has one key. The counter takes one spelling from a topic.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Final

import msgspec

from sigmacount.errors import InvalidRow
from streams.formats.encodings.encoding import EncodedKey
from streams.formats.refusals.diagnosis import MAX_ID_BYTES, Reason
from streams.formats.refusals.reasons import FormReason
from streams.wire.message_limits import UNREADABLE

_SCALED: Final = {"scale", "value"}  # a number of Debezium's that says its own scale
_USUAL: Final = frozenset({str, int})
Parts = tuple[tuple[str, ...] | None, list[bytes], str]  # names, texts, kinds
_columns: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-f]{4}|.)")
_PAIR: Final = re.compile("[\U00010000-\U0010ffff]")


def identified(payload: bytes, rest: bytes = b"") -> EncodedKey:
    """Id and spelling of a key.

    ``payload`` is JSON as Kafka Connect writes it: one object of plain values, or one
    value, without spaces. ``rest`` is what else the bytes hold, such as a schema.

    Raises:
        InvalidRow: it is spelled in another way, or holds no value.
    """
    try:
        names, texts, kinds = _quickly(payload) or _slowly(payload)
    except UNREADABLE:
        raise InvalidRow(FormReason.KEY_NOT_CANONICAL) from None
    id_ = texts[0] if len(texts) == 1 else b"[" + b",".join(texts) + b"]"
    if len(id_) > MAX_ID_BYTES:
        raise InvalidRow(Reason.ID_TOO_LONG)
    return EncodedKey(id_.decode(), _digest(rest, names, kinds))


def written(value: object) -> bytes:
    """JSON of a key's values, letter by letter as Java's Jackson writes it.

    Unlike msgspec it writes a character beyond 16 bits as two escapes, and escapes in
    capitals. Only one of the two is taken, or one value had two ids.
    """
    text = msgspec.json.encode(value)
    if text.isascii() and b"\\u" not in text:
        return text
    escaped = _ESCAPE.sub(_capital, text.decode())
    return _PAIR.sub(_two_escapes, escaped).encode()


def _capital(escape: re.Match[str]) -> str:
    return escape[0][:2] + escape[0][2:].upper()


def _two_escapes(character: re.Match[str]) -> str:
    pair = character[0].encode("utf-16-be").hex().upper()
    return f"\\u{pair[:4]}\\u{pair[4:]}"


def _quickly(payload: bytes) -> Parts | None:
    """The parts of the usual key, an object of numbers and text; else None."""
    value = msgspec.json.decode(payload)
    if type(value) is not dict or written(value) != payload:
        return None
    kinds = [type(each).__name__[0] for each in value.values() if type(each) in _USUAL]
    if len(kinds) < len(value) or not kinds:
        return None
    return tuple(value), list(map(written, value.values())), "".join(kinds)


def _slowly(payload: bytes) -> Parts:
    names, texts = _columns_of(payload)
    return names, texts, "".join(map(_kind, texts))


def _columns_of(payload: bytes) -> tuple[tuple[str, ...] | None, list[bytes]]:
    """Names and texts of the columns; no names where the key is one bare value."""
    if not payload.startswith(b"{"):
        return None, [payload]
    columns = {name: bytes(raw) for name, raw in _columns.decode(payload).items()}
    again = b",".join(written(name) + b":" + text for name, text in columns.items())
    if not columns or payload != b"{" + again + b"}":
        raise InvalidRow(FormReason.KEY_NOT_CANONICAL)
    return tuple(columns), list(columns.values())


def _kind(text: bytes) -> str:
    """What a value's text is; raises unless no other text means the same."""
    value = msgspec.json.decode(text)
    scaled = isinstance(value, dict) and value.keys() == _SCALED
    plain = isinstance(value, str | int) or scaled
    if isinstance(value, float) and text == text.strip():
        return "f"  # as Java writes it, which differs from others and not from itself
    if not plain or written(value) != text:
        raise InvalidRow(FormReason.KEY_NOT_CANONICAL)
    return type(value).__name__[0]


@lru_cache(maxsize=256)
def _digest(rest: bytes, names: tuple[str, ...] | None, kinds: str) -> str:
    said = msgspec.json.encode([names, kinds]) + rest
    return hashlib.blake2b(said, digest_size=16).hexdigest()
