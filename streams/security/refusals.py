"""Why a broker ends our connections: both clients only say that there is none.

A client that cannot connect tries every address until its time is up, and what was
wrong is lost. So a protected connection is tried once by itself, and its fault is read.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import (
    IllegalSaslStateError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)
from aiokafka.protocol.metadata import MetadataRequest

from sigmacount.errors import SigmaError, StreamRefused, StreamUnavailable
from streams.security.token_providers import AwaitedToken, WaitedToken
from streams.security.token_sources import NoToken

PLAIN_TEXT: Final = "PLAINTEXT"
SECONDS: Final = 5.0
CONNECTION: Final = (
    "security_protocol",
    "ssl_context",
    "sasl_mechanism",
    "sasl_plain_username",
    "sasl_plain_password",
    "sasl_oauth_token_provider",
)
ANOTHER_MECHANISM: Final = (
    "Set SIGMA_KAFKA_SASL_MECHANISM to one that it has, or name another port."
)
ANOTHER_USER: Final = "Mend SIGMA_KAFKA_USER and SIGMA_KAFKA_PASSWORD."
ISSUED: Final = (
    "The token may have ended, or be of another issuer, audience or scope than the"
    " broker expects; what gives tokens is named by SIGMA_KAFKA_OAUTH_TOKEN_FILE or"
    " _TOKEN_URL."
)
TRUST: Final = (
    "Name who signed it in SIGMA_KAFKA_CA_FILE, and the broker by a name that the"
    " certificate bears."
)
CERTIFICATE: Final = (
    "It may ask for a certificate (SIGMA_KAFKA_CERTIFICATE_FILE and _KEY_FILE) by"
    " somebody whom it trusts, or speak no TLS on this port."
)
_Connection: Any = AIOKafkaConnection  # it carries no types


async def refusal(bootstrap: str, settings: Mapping[str, Any]) -> SigmaError | None:
    """What the first broker that listens holds against us; None: nothing, or no broker.

    ``settings`` are those of either client; in plain text nobody is refused.
    """
    if settings.get("security_protocol", PLAIN_TEXT) == PLAIN_TEXT:
        return None
    given = {name: settings[name] for name in CONNECTION if name in settings}
    provider = given.get("sasl_oauth_token_provider")
    if isinstance(provider, WaitedToken):
        given["sasl_oauth_token_provider"] = AwaitedToken(provider.source)
    for address in bootstrap.split(","):
        host, _, port = address.rpartition(":")
        try:
            await _answered(host, int(port), given)
        except (OSError, KafkaError, TimeoutError) as error:
            if (why := _why(error, given)) is not None:
                return why
        else:
            return None
    return None


async def _answered(host: str, port: int, given: Mapping[str, Any]) -> None:
    """The server is asked which brokers there are, and closed once it has answered.

    aiokafka does not see that a token is refused: it takes the refusal for the end of
    the handshake, and what follows for an answer.
    """
    connection = _Connection(
        host, port, request_timeout_ms=int(SECONDS * 1000), **given
    )
    try:
        await connection.connect()
        answer = await connection.send(MetadataRequest([]))
        if not answer.brokers:
            raise SaslAuthenticationFailed
    finally:
        reached, closed = connection.connected(), connection.close()
        if reached:
            await asyncio.wait([closed], timeout=SECONDS)


def refusal_waited(bootstrap: str, settings: Mapping[str, Any]) -> SigmaError | None:
    """The same for a caller that waits, whether or not an event loop runs above it."""
    if settings.get("security_protocol", PLAIN_TEXT) == PLAIN_TEXT:
        return None
    with ThreadPoolExecutor(1) as aside:
        found = aside.submit(lambda: asyncio.run(refusal(bootstrap, settings)))
        return found.result()


def _why(error: Exception, settings: Mapping[str, Any]) -> SigmaError | None:
    if isinstance(error, NoToken):
        return StreamUnavailable(str(error))
    words = _words(error, settings.get("sasl_mechanism"))
    if words is None and "SSL" in settings.get("security_protocol", ""):
        words = _words_of_tls(error)
    return None if words is None else StreamRefused(*words)


def _words(error: Exception, mechanism: str | None) -> tuple[str, str] | None:
    """What was wrong with who we said to be, and the remedy."""
    if isinstance(error, UnsupportedSaslMechanismError):
        return f"its listener has no {mechanism}", ANOTHER_MECHANISM
    if mechanism == "OAUTHBEARER" and isinstance(error, KafkaError):
        return "it does not accept the token", ISSUED
    if isinstance(error, SaslAuthenticationFailed | IllegalSaslStateError):
        return "it does not accept user and password", ANOTHER_USER
    return None


def _words_of_tls(error: Exception) -> tuple[str, str] | None:
    """What was wrong before anybody said who they are; None: nobody listens."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not good ({error.verify_message})", TRUST
    if isinstance(error, ConnectionRefusedError | TimeoutError):
        return None
    if isinstance(error, ssl.SSLError | KafkaError | ConnectionError):
        return "it ended the connection amid TLS", CERTIFICATE
    return None
