"""Tokens: who may ask over HTTP, and under which name; a file holds their hashes.

A token is 256 random bits, so one SHA-256 of it is enough: nobody guesses what it came
from, and a slow hash would only let strangers keep the gateway busy.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from sigmacount.errors import SigmaError

PREFIX = "sigma_"  # so that a scanner of repositories knows one that was left behind
RANDOM_BYTES = 32
MODE = 0o600
FORBIDDEN = 0o037  # a group may read it, as secrets are mounted; nobody else anything
OPEN = "may be read or written by others: chmod 600 it"
LACKING = "cannot be read: `sigma token new` makes it"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
OPERATOR = "operator"
LINE = re.compile(rf"({NAME.pattern}) ([0-9a-f]{{64}})( {OPERATOR})?")


class TokensUnusable(SigmaError):
    """The file of tokens cannot be used; nobody was let in by it."""

    code = "invalid_settings"


class ClientTokens:
    """The clients that a file lets in: a line each, ``NAME SHA-256 [operator]``.

    A name may have several lines, so that a token can be replaced before it is taken
    away. The file is read again whenever it changed.

    Attributes:
        clients: names of all that have a token.
        operators: of those that may see what other clients spent.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, ...] = ()
        self._clients: list[tuple[bytes, str]] = []
        self.clients: frozenset[str] = frozenset()
        self.operators: frozenset[str] = frozenset()

    def client_of(self, token: str) -> str | None:
        """Who holds this token; None where nobody does.

        Every line is compared, in constant time: how long it takes tells nothing.

        Raises:
            TokensUnusable: the file is missing, open to others, or says nonsense; the
                operator mends it, and nobody is let in meanwhile.
        """
        self.refresh()
        digest, found = _digest(token), None
        for known, client in self._clients:
            if hmac.compare_digest(known, digest):
                found = client
        return found

    def refresh(self) -> None:
        """Read the file if it changed; raises as ``client_of``."""
        try:
            about = self._path.stat()
            if about.st_mode & FORBIDDEN or not stat.S_ISREG(about.st_mode):
                raise self._unusable(OPEN)
            seen = about.st_mtime_ns, about.st_size, about.st_ino
            if seen != self._seen:
                self._clients = self._read(self._path.read_text(encoding="utf-8"))
                self._seen = seen
        except (OSError, UnicodeDecodeError) as error:
            raise self._unusable(LACKING) from error

    def names(self) -> Counter[str]:
        """How many lines each client has, as last read."""
        return Counter(client for _, client in self._clients)

    def _read(self, text: str) -> list[tuple[bytes, str]]:
        found, operators = [], set()
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = LINE.fullmatch(line.strip())
            if match is None:
                why = f"line {number} is not NAME and SHA-256: mend it"
                raise self._unusable(why)
            found.append((match[2].encode(), match[1]))
            if match[3]:
                operators.add(match[1])
        self.clients = frozenset(name for _, name in found)
        self.operators = frozenset(operators)
        return found

    def _unusable(self, why: str) -> TokensUnusable:
        return TokensUnusable(f"the file of tokens {self._path.name} {why}.")


def new_token(path: Path, client: str, *, operator: bool = False) -> str:
    """A new token of ``client``; its hash is in the file, for good, before it is told.

    An ``operator`` may see on the pages which client spent what.

    Raises:
        TokensUnusable: no such name may be, or the file cannot be written; nothing was
            added.
    """
    if not NAME.fullmatch(client):
        msg = (
            "a client's name is 1 to 100 of A-Z a-z 0-9 . _ @ -, a letter or figure"
            " first; no token was made."
        )
        raise TokensUnusable(msg)
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    try:
        with _locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as out:
            right = f" {OPERATOR}".encode() if operator else b""
            out.write(b"%s %s%s\n" % (client.encode(), _digest(token), right))
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        msg = f"the file of tokens {path.name} cannot be written; no token was made."
        raise TokensUnusable(msg) from error
    return token


def token_names(path: Path) -> Counter[str]:
    """How many tokens each client has; raises as ``ClientTokens.refresh``."""
    known = ClientTokens(path)
    known.refresh()
    return known.names()


def revoke_tokens(path: Path, client: str) -> int:
    """All tokens of ``client`` let nobody in from now on: how many there were.

    The file is replaced as a whole, so a gateway reads the older one or the newer, and
    keeps its owner and its mode.

    Raises:
        TokensUnusable: the file is none, or cannot be replaced; nothing was revoked.
    """
    if not (there := token_names(path)[client]):
        return 0
    try:
        with _locked(path, os.O_RDWR) as old:
            lines = old.read().splitlines(keepends=True)
            kept = [line for line in lines if line.split()[:1] != [client.encode()]]
            _replace(path, b"".join(kept), os.fstat(old.fileno()))
    except OSError as error:
        msg = f"the file of tokens {path.name} cannot be replaced; none was revoked."
        raise TokensUnusable(msg) from error
    return there


@contextmanager
def _locked(path: Path, flags: int) -> Iterator[BinaryIO]:
    """The file that stands there, which nobody else changes meanwhile."""
    while True:
        with os.fdopen(os.open(path, flags, MODE), "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_ino != path.stat().st_ino:
                continue  # it was replaced while we waited
            yield cast("BinaryIO", file)
            return


def _replace(path: Path, content: bytes, was: os.stat_result) -> None:
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    with os.fdopen(file, "wb") as out:
        out.write(content)
        os.fchmod(file, stat.S_IMODE(was.st_mode))
        if (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(file, was.st_uid, was.st_gid)
        out.flush()
        os.fsync(file)
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).hexdigest().encode()
