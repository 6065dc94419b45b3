"""Replies: acts of a gateway, counted and timed, and what they raise said in words."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from config.logs import Log, safe_text
from config.metrics import HTTP_REQUESTS, HTTP_SECONDS, Metrics
from sigmacount.errors import SigmaError
from workers.gateway.refusals import RequestRefused, away, failed

PageAct = Callable[[Request], Awaitable[Response]]
Refuse = Callable[[Request, RequestRefused], Response]
log = Log("gateway")


def in_json(_: Request, refused: RequestRefused) -> Response:
    """A refusal for programs."""
    return refused.reply()


class CountedActs:
    """Acts under the names by which the operator sees them; never a client's."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def counted(self, name: str, act: PageAct, refuse: Refuse = in_json) -> PageAct:
        """The act with what it raises as a reply, counted and timed."""

        async def counted(request: Request) -> Response:
            began = time.monotonic()
            reply = await replied(act, request, refuse)
            self._metrics.inc(HTTP_REQUESTS, act=name, status=str(reply.status_code))
            self._metrics.observe(HTTP_SECONDS, time.monotonic() - began, act=name)
            return reply

        return counted


async def replied(act: PageAct, request: Request, refuse: Refuse) -> Response:
    """What an act replies, a refusal among it."""
    try:
        return await act(request)
    except RequestRefused as refused:
        return refuse(request, refused)
    except SigmaError as error:
        log.warning("request_failed", failure=error.code, why=safe_text(error))
        return refuse(request, away(error.code))


async def no_page(_: Request, error: Exception) -> Response:
    """An address or a method that is not there."""
    status = getattr(error, "status_code", HTTPStatus.NOT_FOUND)
    known: Any = getattr(error, "headers", None)
    words = "no such page or method; /v1/openapi.json lists them."
    return RequestRefused(HTTPStatus(status), "no_page", words, known).reply()


async def fault(_: Request, error: Exception) -> Response:
    """What nobody foresaw, without a word of it."""
    log.warning("request_failed", failure="internal", why=type(error).__name__)
    return failed().reply()
