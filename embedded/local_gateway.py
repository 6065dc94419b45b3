"""A gateway of this machine alone: its address on loopback, a token for one session."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self

from config.gateway import GatewaySettings
from embedded.ports import HOST, claimed, free_port
from workers.gateway import new_token

CLIENT = "local"  # the name that its questions are asked in
MODE = 0o600
PATIENCE = 60.0  # seconds for a reply


@dataclass(frozen=True, slots=True)
class LocalGateway:
    """Where it listens, and the one token that lets somebody in.

    The token is new in each session, and stands in a file that only its owner may read:
    a terminal is looked at by others, and remembers.

    Attributes:
        token_file: the token as it is; the gateway itself reads its hash alone.
    """

    port: int
    token_file: Path
    hashes: Path

    @classmethod
    def of(cls, settings: GatewaySettings, folder: Path) -> Self:
        """On the port of the settings, or on a free one where that is 0 or taken."""
        wanted = settings.port
        port = wanted if wanted and claimed(wanted) else free_port()
        own = folder / "gateway"
        own.mkdir(mode=0o700, exist_ok=True)
        made = cls(port, own / "token", own / "tokens")
        for left in (made.token_file, made.hashes):  # of an earlier session
            left.unlink(missing_ok=True)
        token = new_token(made.hashes, CLIENT)
        file = os.open(made.token_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
        with os.fdopen(file, "w") as out:
            out.write(f"{token}\n")
        return made

    @property
    def url(self) -> str:
        """Of its pages."""
        return f"http://{HOST}:{self.port}/"

    def environment(self) -> dict[str, str]:
        """What the process is told; plain HTTP, for nothing leaves this machine."""
        return {
            "SIGMA_GATEWAY_HOST": HOST,
            "SIGMA_GATEWAY_PORT": str(self.port),
            "SIGMA_GATEWAY_TOKENS": str(self.hashes),
            "SIGMA_GATEWAY_CERTIFICATE_FILE": "",
            "SIGMA_GATEWAY_KEY_FILE": "",
        }

    def asked(self, question: dict[str, object]) -> tuple[int, dict[str, Any]]:
        """Status and reply to a question, sent as any program would."""
        status, said = self.replied("v1/ask", json.dumps(question).encode())
        return status, dict(json.loads(said))

    def replied(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and reply of one of its pages, to who holds the token."""
        token = self.token_file.read_text(encoding="utf-8").strip()
        with closing(HTTPConnection(HOST, self.port, timeout=PATIENCE)) as connection:
            method = "GET" if body is None else "POST"
            bearer = {"Authorization": f"Bearer {token}"}
            connection.request(method, f"/{path}", body, bearer)
            reply = connection.getresponse()
            return reply.status, reply.read()

    def how_to_sign_in(self) -> Iterator[str]:
        """Lines for a person, and for a shell."""
        token = shlex.quote(str(self.token_file))
        yield f"dashboard: {self.url}  sign in with the token of this session:"
        yield f"  cat {token}"
        yield (
            f'  curl -H "Authorization: Bearer $(cat {token})"'
            f""" -d '{{"where": "age >= 60"}}' {self.url}v1/ask"""
        )
