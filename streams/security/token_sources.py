"""Where tokens of SASL/OAUTHBEARER come from: a file, or an OAuth 2 token endpoint."""

from __future__ import annotations

import base64
import re
import ssl
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote_plus, urlencode

import msgspec

TIMEOUT_SECONDS: Final = 5.0  # of one request; a client connects again soon
MOST_BYTES: Final = 2**16  # of a token, or of an answer that holds one
KEPT_SHARE: Final = 0.8  # of a token's life: then another one is fetched
OAUTH_WORD: Final = re.compile(r"[a-z_]{1,40}")  # RFC 6749's words for a refusal
TOKEN: Final = re.compile(r"[A-Za-z0-9\-._~+/]+=*")  # RFC 6750: b64token
UNREADABLE: Final = (ValueError, msgspec.DecodeError)


class NoToken(OSError):
    """There is no token to show; to a client it is a connection that failed."""


class TokenSource(Protocol):
    """Gives a token that is valid now; called from any thread, and may block."""

    def token(self) -> str:
        """The token.

        Raises:
            NoToken: there is none; the caller connects again later.
        """


class TokenFile:
    """A token in a file that something else renews: it is read each time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def token(self) -> str:
        """What the file holds now."""
        try:
            with self._path.open("rb") as file:
                return _sound(file.read(MOST_BYTES + 1).decode().strip())
        except (OSError, ValueError) as error:
            msg = (
                f"the file of SIGMA_KAFKA_OAUTH_TOKEN_FILE holds no token"
                f" ({type(error).__name__}); see to whatever renews it"
            )
            raise NoToken(msg) from None


class _Granted(msgspec.Struct):
    access_token: str
    expires_in: float = 0.0


class _Denied(msgspec.Struct):
    error: str = ""


class _SameServer(urllib.request.HTTPRedirectHandler):
    """A server elsewhere would be handed the client's secret."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401
        """No redirect is followed."""


class TokenEndpoint:
    """Tokens for a client's id and secret (RFC 6749, client credentials).

    A token is kept for most of its life; when the endpoint then fails, it is shown
    on until it ends. Proxies of the environment are used for https alone.
    """

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str,
        *,
        scope: str | None = None,
        trusting: ssl.SSLContext | None = None,
    ) -> None:
        pair = f"{quote_plus(client_id)}:{quote_plus(client_secret)}".encode()
        self._url, self._login = url, base64.b64encode(pair).decode()
        form = {"grant_type": "client_credentials", "scope": scope}
        self._form = urlencode({k: v for k, v in form.items() if v is not None})
        around: dict[str, str] | None = None if url.startswith("https") else {}
        self._opener = urllib.request.build_opener(
            _SameServer,
            urllib.request.ProxyHandler(around),
            urllib.request.HTTPSHandler(context=trusting),
        )
        self._one_at_a_time = threading.Lock()
        self._held, self._renew_at, self._ends_at = "", 0.0, 0.0

    def token(self) -> str:
        """The one that is held, or another where that one ends soon."""
        with self._one_at_a_time:
            if time.monotonic() < self._renew_at:
                return self._held
            try:
                asked_at, granted = time.monotonic(), self._fetch()
            except NoToken:
                if time.monotonic() < self._ends_at:
                    return self._held
                raise
            self._held = granted.access_token
            self._renew_at = asked_at + KEPT_SHARE * granted.expires_in
            self._ends_at = asked_at + granted.expires_in
            return self._held

    def _fetch(self) -> _Granted:
        request = urllib.request.Request(  # noqa: S310  (the operator's own URL)
            self._url,
            data=self._form.encode(),
            headers={
                "Authorization": f"Basic {self._login}",
                "Accept": "application/json",
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                text = answer.read(MOST_BYTES)
            granted = msgspec.json.decode(text, type=_Granted)
            _sound(granted.access_token)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _none(_refusal(refusal)) from None
        except ssl.SSLCertVerificationError as error:
            raise _none(error.verify_message) from None
        except urllib.error.URLError as error:
            raise _none(_reason(error)) from None
        except (OSError, HTTPException, *UNREADABLE) as error:
            raise _none(type(error).__name__) from None
        return granted


class _Claims(msgspec.Struct):
    exp: float | None = None


def token_ends_at(token: str) -> float | None:
    """When a token says that it ends, s since 1970; None where it says nothing."""
    _, _, rest = token.partition(".")
    claims = rest.partition(".")[0]
    try:
        text = base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4))
        return msgspec.json.decode(text, type=_Claims).exp
    except UNREADABLE:
        return None


def _sound(token: str) -> str:
    """The token, if it is one; an error shows nothing of it."""
    if len(token) > MOST_BYTES or not TOKEN.fullmatch(token):
        msg = "no token"
        raise ValueError(msg)
    return token


def _refusal(refusal: urllib.error.HTTPError) -> str:
    try:
        said = msgspec.json.decode(refusal.read(MOST_BYTES), type=_Denied).error
    except (OSError, HTTPException, *UNREADABLE):
        said = ""
    word = f" {said}" if OAUTH_WORD.fullmatch(said) else ""
    return f"HTTP {refusal.code}{word}"


def _reason(error: urllib.error.URLError) -> str:
    why = error.reason
    if isinstance(why, ssl.SSLCertVerificationError):
        return str(why.verify_message)
    return type(why).__name__ if isinstance(why, Exception) else "no answer"


def _none(why: str) -> NoToken:
    return NoToken(
        f"the token endpoint gives no token ({why}). Check SIGMA_KAFKA_OAUTH_TOKEN_URL,"
        " client id, secret and scope, and SIGMA_KAFKA_OAUTH_CA_FILE"
    )
