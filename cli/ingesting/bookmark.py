"""Bookmark: how far a file has been sent, so that an interruption costs nothing.

It belongs to one content of one file, read in one way, and to one incarnation of one
topic: another file, other options, or a topic made anew begin at the first row.
Beginning again is always safe, for a row that is sent twice changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

HEAD = 65_536  # bytes of the file that take part in its identity


def state_dir() -> Path | None:
    """Where bookmarks are kept: ``$XDG_STATE_HOME/sigma``; None if nowhere.

    A process in a container may have neither a home nor a place to write.
    """
    try:
        base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    folder = Path(base) / "sigma"
    return folder if writable(folder) else None


def writable(folder: Path) -> bool:
    """Whether files can be kept there; it is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def identity(path: Path, *circumstances: str) -> str:
    """Digest of the file as it is now, where it goes, and how it is read."""
    facts = path.stat()
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        digest.update(file.read(HEAD))
    for part in (str(path.resolve()), facts.st_size, facts.st_mtime_ns, *circumstances):
        digest.update(f"\0{part}".encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One small file; absent means that nothing was sent, or everything was."""

    place: Path

    @classmethod
    def of(cls, path: Path, *circumstances: str, folder: Path) -> Bookmark:
        """The bookmark of ``path`` on its way to a topic, read in one way."""
        return cls(folder / f"ingest-{identity(path, *circumstances)}.json")

    def rows(self) -> int:
        """Rows that are known to be safe in the topic."""
        try:
            return int(json.loads(self.place.read_text())["rows"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def keep(self, rows: int) -> None:
        """The first ``rows`` rows need not be sent again."""
        self.place.parent.mkdir(parents=True, exist_ok=True)
        draft = self.place.with_suffix(".tmp")
        draft.write_text(json.dumps({"rows": rows}))
        draft.replace(self.place)

    def drop(self) -> None:
        """All is sent: sending the file again means all of it."""
        self.place.unlink(missing_ok=True)
