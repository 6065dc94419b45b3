"""CloudEvents 1.0 in Kafka's binary mode: an event's attributes as headers."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

PREFIX: Final = "ce_"  # of the headers, by the Kafka protocol binding
SPEC_VERSION: Final = "1.0"
CONTENT_TYPE: Final = "content-type"
JSON: Final = "application/json"
_VERSION: Final = (f"{PREFIX}specversion", SPEC_VERSION.encode())
_JSON: Final = (CONTENT_TYPE, JSON.encode())
_LATEST_MS: Final = 253_402_300_799_999  # the last one of the year 9999


def headers(**attributes: str | None) -> list[tuple[str, bytes]]:
    """The headers of a JSON event with these attributes; None is left out."""
    named = [
        (PREFIX + name, text.encode())
        for name, text in attributes.items()
        if text is not None
    ]
    return [_VERSION, *named, _JSON]


@lru_cache(maxsize=1_024)
def moment(ms: int) -> str | None:
    """Milliseconds since 1970 as RFC 3339 writes them; None for no such moment."""
    if not 0 <= ms <= _LATEST_MS:
        return None
    then = datetime.fromtimestamp(ms // 1000, UTC).replace(microsecond=ms % 1000 * 1000)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plain(text: str) -> str | None:
    """The text where an attribute may hold it: not empty, every character printable."""
    return text if text and text.isprintable() else None
