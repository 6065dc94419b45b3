"""How large and deep a message from outside may be, and how it is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from sigmacount.errors import InvalidMessage
from streams.wire.messages.events import Event

DEEPEST: Final = 64  # lists and objects within one another; ours need a dozen
LONGEST_CHARACTER: Final = 4  # bytes of one, in UTF-8

# Whatever a decoder raises for bytes that it cannot read.
UNREADABLE: Final = (
    msgspec.MsgspecError,
    ValueError,  # text that is no UTF-8, among others
    OverflowError,
    RecursionError,
    MemoryError,
)
_TEXT: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_NO_BRACKET: Final = bytes(set(range(256)) - set(b"[]{}"))
_MISSING: Final = re.compile(r"missing required field `([^`]+)`")
_PLACE: Final = re.compile(r" - at `\$\.(\w+)")
_LONG: Final = re.compile(r"`(\w+)` of length <= (\d+)")
_TYPED: Final = re.compile(r"\AExpected `([\w |]+)`, got `(\w+)`")
_TYPE: Final = re.compile(r"\w+|\|")
_PLAIN: Final = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "|": "or",
}


def checked_size(most: int, value: bytes) -> None:
    """Refuse what is too long or too deep to be looked at; costs a pass or two.

    Raises:
        InvalidMessage: it is; nothing was decoded.
    """
    if len(value) > most:
        msg = f"is longer than {most:,} bytes"
        raise InvalidMessage(msg)
    if deeper(value, DEEPEST):
        msg = f"nests deeper than {DEEPEST} lists and objects"
        raise InvalidMessage(msg)


def deeper(value: bytes, limit: int) -> bool:
    """Whether brackets outside of texts nest more than ``limit`` deep."""
    if value.count(b"[") + value.count(b"{") <= limit:
        return False
    left = _TEXT.sub(b"", value).translate(_BRACKETS, _NO_BRACKET)
    for _ in range(limit):
        left = left.replace(b"[]", b"")
    return b"[" in left


def checked_texts(event: Event) -> None:
    """Refuse texts of more bytes than their field holds; decoding counts characters.

    Raises:
        InvalidMessage: one is too long.
    """
    for name, most in _texts(type(event)):
        value = getattr(event, name)
        if isinstance(value, str):
            if len(value) * LONGEST_CHARACTER <= most:
                continue
            size = len(value.encode())
        elif isinstance(value, Mapping):
            size = len(msgspec.json.encode(value))
        else:
            continue
        if size > most:
            msg = f"is longer than {most:,} bytes"
            raise InvalidMessage(msg, name)


@cache
def _texts(kind: type[Event]) -> tuple[tuple[str, int], ...]:
    """The text fields of a message, and how many bytes each may have.

    An object is only bounded where it stands for a text, as in a question.
    """
    about: Any = msgspec.inspect.type_info(kind)
    found = []
    for field in about.fields:
        kinds = getattr(field.type, "types", (field.type,))
        most = [k.max_length for k in kinds if isinstance(k, msgspec.inspect.StrType)]
        if most and most[0] is not None:
            found.append((field.encode_name, most[0]))
    return tuple(found)


def explained(error: Exception) -> InvalidMessage:
    """Why a message could not be decoded, in words that quote nothing of it."""
    if isinstance(error, RecursionError):
        return InvalidMessage(f"nests deeper than {DEEPEST} lists and objects")
    if not isinstance(error, msgspec.ValidationError):
        return InvalidMessage("is no JSON text")
    text = str(error)
    place = _PLACE.search(text)
    field = None if place is None else place[1]
    if missing := _MISSING.search(text):
        inner = missing[1] if field is None else f"{field}.{missing[1]}"
        return InvalidMessage("is missing", inner)
    if long := _LONG.search(text):
        parts = "characters" if long[1] == "str" else "items"
        return InvalidMessage(f"is longer than {int(long[2]):,} {parts}", field)
    if typed := _TYPED.search(text):
        wanted, got = (_TYPE.sub(_plain, types) for types in typed.groups())
        return InvalidMessage(f"must be {wanted}, not {got}", field)
    return InvalidMessage("is not what it must be", field)


def _plain(type_: re.Match[str]) -> str:
    return _PLAIN.get(type_[0], type_[0])
