"""A schema registry that speaks Confluent's HTTP interface."""

from __future__ import annotations

import asyncio
import base64
import time
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any, Final

import msgspec

from sigmacount.errors import StreamUnavailable
from streams.formats.registry.schemas import SCHEMA_BYTES, RegisteredSchema
from streams.wire.message_limits import UNREADABLE

TIMEOUT_SECONDS: Final = 5.0  # of one request; the next try is the caller's
ANSWER_BYTES: Final = 2 * SCHEMA_BYTES  # quotes in a schema are escaped in an answer
READ_BYTES: Final = 2**16  # of it at once, before the clock is looked at
NOT_FOUND: Final = 404
NO_SUCH_SCHEMA: Final = 40_403  # the registry's own word for it


class _Found(msgspec.Struct):
    schema: str
    schemaType: str = "AVRO"  # noqa: N815  (the registry's name)
    references: list[Any] = []


class _Refused(msgspec.Struct):
    error_code: int = 0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A registry elsewhere would be handed the password of this one."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401
        """None is followed."""


class HttpRegistry:
    """``GET /schemas/ids/{id}``; every answer but a schema or its absence is a failure.

    Requests are made in a thread, one at a time, with a bound of time and of bytes;
    redirects and the proxies of the environment are not followed.
    """

    def __init__(
        self, url: str, user: str | None = None, password: str | None = None
    ) -> None:
        self._url, self._headers = url.rstrip("/"), {}
        if user is not None:
            pair = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
            self._headers["Authorization"] = f"Basic {pair}"
        self._opener = urllib.request.build_opener(
            _NoRedirects, urllib.request.ProxyHandler({})
        )

    async def fetch(self, number: int) -> RegisteredSchema | None:
        """The schema of that number, or None: the registry says there is none.

        Raises:
            StreamUnavailable: it does not answer, or something else; try again.
        """
        return await asyncio.to_thread(self._fetch, number)

    def _fetch(self, number: int) -> RegisteredSchema | None:
        request = urllib.request.Request(  # noqa: S310  (the operator's own URL)
            f"{self._url}/schemas/ids/{number}", headers=self._headers
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                text = _read(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                if refusal.code == NOT_FOUND and _says_there_is_none(refusal):
                    return None
            status = f"HTTP {refusal.code}"
            raise _unavailable(status) from None
        except (OSError, HTTPException) as error:
            raise _unavailable(type(error).__name__) from None
        return _registered(text)


def _read(answer: HTTPResponse) -> bytes:
    """The whole answer; raises TimeoutError where it drips in too slowly."""
    until, text = time.monotonic() + TIMEOUT_SECONDS, b""
    while part := answer.read1(READ_BYTES):
        text += part
        if len(text) > ANSWER_BYTES:
            break
        if time.monotonic() > until:
            raise TimeoutError
    return text


def _registered(text: bytes) -> RegisteredSchema:
    try:
        if len(text) > ANSWER_BYTES:
            raise ValueError
        found = msgspec.json.decode(text, type=_Found)
    except UNREADABLE:
        msg = "an answer that is no schema"
        raise _unavailable(msg) from None
    return RegisteredSchema(
        found.schemaType, found.schema.encode(), not found.references
    )


def _says_there_is_none(refusal: urllib.error.HTTPError) -> bool:
    """A proxy before it, or a wrong path, says 404 in other words."""
    try:
        said = msgspec.json.decode(refusal.read(ANSWER_BYTES), type=_Refused)
    except (OSError, HTTPException, *UNREADABLE):
        return False
    return said.error_code == NO_SUCH_SCHEMA


def _unavailable(why: str) -> StreamUnavailable:
    return StreamUnavailable(
        f"the schema registry does not give a schema ({why}); rows wait in their topic."
        " Check SIGMA_ROWS_REGISTRY, its user and its password."
    )
