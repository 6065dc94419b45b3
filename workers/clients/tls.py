"""Files of TLS as the settings name them, read once, when a client is first made."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from config.servers import Kafka, Redis
from config.settings import InvalidSettings


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Whom we trust, and what we show to who asks who we are.

    Attributes:
        prefix: of the variables that name the files, for people.
        ca: certificates to trust, or None: those of the system.
        certificate: chain that we show, with its ``key``, or None: we show none.
        password: of the key; empty where it is not encrypted.
    """

    prefix: str
    ca: Path | None
    certificate: Path | None = None
    key: Path | None = None
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, group: Kafka | Redis) -> TlsFiles:
        """Those of a group of settings."""
        word = group.key_password
        secret = "" if word is None else word.get_secret_value()
        here = group.ca_file, group.certificate_file, group.key_file
        return cls(group.variable(""), *here, secret)

    def context(self) -> ssl.SSLContext:
        """Trust and proof for any number of connections; names are verified.

        Raises:
            InvalidSettings: a file is not what its variable says; the operator mends it.
        """
        with _blamed(f"{self.prefix}CA_FILE"):
            context = ssl.create_default_context(cafile=self.ca)
        if self.certificate is not None:
            with _blamed(f"{self.prefix}CERTIFICATE_FILE, _KEY_FILE or _KEY_PASSWORD"):
                # Without a password OpenSSL would ask at the terminal for one.
                context.load_cert_chain(self.certificate, self.key, self.password)
        return context


@contextmanager
def _blamed(variable: str) -> Iterator[None]:
    """A file's fault becomes that of its variable; the file's text stays unsaid."""
    try:
        yield
    except OSError as error:  # ssl.SSLError is one
        why = getattr(error, "reason", None) or error.strerror or "no certificate in it"
        words = f"{variable}: there is no such PEM file to use ({why})."
        raise InvalidSettings((words,)) from None
