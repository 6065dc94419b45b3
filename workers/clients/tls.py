"""Files of TLS as the settings name them, read once, when a client is first made."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from config.setting_types import Secret
from config.settings import InvalidSettings
from sigmacount.errors import StreamUnavailable

LOOK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Whom we trust, and what we show to who asks who we are.

    Attributes:
        prefix: of the variables that name the files, for people.
        ca: certificates to trust, or None: those of the system.
        certificate: chain that we show, with its ``key``, or None: we show none.
        password: of the key, where it is encrypted.
    """

    prefix: str
    ca: Path | None
    certificate: Path | None = None
    key: Path | None = None
    password: Secret | None = None

    def context(self) -> ssl.SSLContext:
        """Trust and proof for any number of connections; names are verified.

        Raises:
            InvalidSettings: a file is not what its variable says.
        """
        with _blamed(f"{self.prefix}CA_FILE"):
            context = ssl.create_default_context(cafile=self.ca)
        if self.certificate is not None:
            with _blamed(f"{self.prefix}CERTIFICATE_FILE, _KEY_FILE or _KEY_PASSWORD"):
                # Without a password OpenSSL would ask at the terminal for one.
                context.load_cert_chain(self.certificate, self.key, self._word())
        return context

    def for_redis(self) -> dict[str, str]:
        """The same in the words of redis-py, which reads the files itself.

        Raises:
            InvalidSettings: as above; redis-py would only say so at its first use.
        """
        self.context()
        named = {
            "ssl_ca_certs": self.ca,
            "ssl_certfile": self.certificate,
            "ssl_keyfile": self.key,
            "ssl_password": self._word(),
        }
        return {word: str(what) for word, what in named.items() if what is not None}

    def _word(self) -> str:
        return "" if self.password is None else self.password.get_secret_value()


def certificate_end(address: str, context: ssl.SSLContext) -> float:
    """When the certificate of the server at HOST:PORT ends, s since 1970.

    Raises:
        StreamUnavailable: it does not answer, or its certificate is not good.
    """
    host, _, port = address.rpartition(":")
    try:
        with (
            socket.create_connection((host, int(port)), LOOK_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as wire,
        ):
            shown = wire.getpeercert() or {}
    except OSError as error:
        msg = f"{address}: {type(error).__name__}"
        raise StreamUnavailable(msg) from None
    return ssl.cert_time_to_seconds(str(shown["notAfter"]))


@contextmanager
def _blamed(variable: str) -> Iterator[None]:
    """A file's fault becomes that of its variable; the file's text stays unsaid."""
    try:
        yield
    except OSError as error:  # ssl.SSLError is one
        why = getattr(error, "reason", None) or error.strerror or "no certificate in it"
        words = f"{variable}: there is no such PEM file to use ({why})."
        raise InvalidSettings((words,)) from None
