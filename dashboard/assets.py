"""Assets: scripts, styles and pictures of the pages, each known by its hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).parent / "static"
PATH: Final = "/static/"
VERSION: Final = "v"  # the field of an address that names the hash
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, as a browser fetches it.

    Attributes:
        kind: its media type.
        version: the beginning of its hash.
        address: names its hash, so that a browser may keep it for good.
    """

    content: bytes
    kind: str
    version: str
    address: str


@cache
def assets() -> dict[str, Asset]:
    """Every file that a page may name, by its name."""
    return {
        file.name: _read(file)
        for file in sorted(STATIC.iterdir())
        if file.suffix in KINDS
    }


def asset(name: str) -> Asset | None:
    """The file of that name; None where there is none."""
    return assets().get(name)


def _read(file: Path) -> Asset:
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:12]
    address = f"{PATH}{file.name}?{VERSION}={digest}"
    return Asset(content, KINDS[file.suffix], digest, address)
