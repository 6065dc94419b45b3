"""Pages: what each address of the gateway does, as a Starlette application."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from config.logs import Log, safe_text
from config.metrics import HTTP_REQUESTS, HTTP_SECONDS, Metrics
from sigmacount.errors import SigmaError
from store.ledger.ledger import RedisLedger
from store.releases.released import Released
from streams.wire.messages.catalog import Catalog
from streams.wire.messages.events import QueryAnswered, Trouble
from workers.gateway.bodies import AskedInBody, asked_in
from workers.gateway.limits import GatewayOptions, RateLimits
from workers.gateway.open_api import document
from workers.gateway.questions import QuestionsInFlight
from workers.gateway.refusals import (
    NO_EPOCH,
    NO_LEDGER,
    NO_SCHEMA,
    RequestRefused,
    away,
    failed,
    invalid,
    json_reply,
    too_large,
    too_many,
    unauthorised,
)
from workers.gateway.tokens import ClientTokens

PageAct = Callable[[Request], Awaitable[Response]]
STATUS = {
    "ok": HTTPStatus.OK,
    "invalid": HTTPStatus.BAD_REQUEST,
    "refused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "expired": HTTPStatus.GATEWAY_TIMEOUT,
}
TOTALS = (
    "measure",
    "limit",
    "spent",
    "left",
    "repeated",
    "surcharged",
    "surcharges_left",
    "client_quota",
)
BROKEN = "the body did not come whole"
BEARER = "bearer "
BODY_SECONDS = 10.0  # a body that trickles in holds a place for no longer
log = Log("gateway")


class Pages:
    """What clients reach; each act reads the token first and takes from a rate."""

    def __init__(
        self,
        options: GatewayOptions,
        questions: QuestionsInFlight,
        released: Released,
        ledger: RedisLedger,
        metrics: Metrics,
    ) -> None:
        self._options, self._questions = options, questions
        self._released, self._ledger, self._metrics = released, ledger, metrics
        self._tokens = ClientTokens(options.tokens)
        self._rates = RateLimits(options.rate, options.burst)
        self.catalog: Catalog | None = None

    def app(self) -> Starlette:
        """The application; no other site may call it unless the options name it."""
        acts: dict[str, tuple[str, PageAct]] = {
            "/v1/ask": ("POST", self._ask),
            "/v1/price": ("POST", self._price),
            "/v1/schema": ("GET", self._schema),
            "/v1/plan": ("GET", self._plan),
            "/v1/budget": ("GET", self._budget),
            "/v1/openapi.json": ("GET", self._openapi),
        }
        routes = [
            Route(path, self._counted(path, act), methods=[method])
            for path, (method, act) in acts.items()
        ]
        return Starlette(
            routes=routes,
            middleware=self._middleware(),
            exception_handlers={HTTPException: _no_page, Exception: _fault},
        )

    def _middleware(self) -> list[Middleware]:
        if not self._options.origins:
            return []
        named: dict[str, Any] = {
            "allow_origins": self._options.origins,
            "allow_methods": ["GET", "POST"],
            "allow_headers": ["authorization", "content-type"],
        }
        return [Middleware(CORSMiddleware, **named)]

    def _counted(self, path: str, act: PageAct) -> PageAct:
        """The act with what it raises as a reply, counted and timed."""
        name = path.rpartition("/")[2].removesuffix(".json")

        async def counted(request: Request) -> Response:
            began = time.monotonic()
            reply = await self._replied(act, request)
            self._metrics.inc(HTTP_REQUESTS, act=name, status=str(reply.status_code))
            self._metrics.observe(HTTP_SECONDS, time.monotonic() - began, act=name)
            return reply

        return counted

    async def _replied(self, act: PageAct, request: Request) -> Response:
        try:
            return await act(request)
        except RequestRefused as refused:
            return refused.reply()
        except SigmaError as error:
            log.warning("request_failed", failure=error.code, why=safe_text(error))
            return away(error.code).reply()

    async def _ask(self, request: Request) -> Response:
        return await self._answered(request, price=False)

    async def _price(self, request: Request) -> Response:
        return await self._answered(request, price=True)

    async def _answered(self, request: Request, *, price: bool) -> Response:
        client = self._client(request)
        body = await self._body(request)
        asked = asked_in(body, client, self._options.batch, price=price)
        self._take(client, len(asked.events))
        seconds = self._options.answer_seconds
        found = await self._questions.answers(asked.events, seconds)
        return _reply(asked, [a or _late(asked, n) for n, a in enumerate(found)])

    async def _schema(self, request: Request) -> Response:
        self._take(self._client(request))
        if self.catalog is None:
            raise away(NO_SCHEMA)
        return json_reply(self.catalog)

    async def _plan(self, request: Request) -> Response:
        self._take(self._client(request))
        head = await self._released.head()
        if head is None:
            raise away(NO_EPOCH)
        named = {name: getattr(head, name) for name in ("epoch", "as_of_ms", "frozen")}
        return json_reply(named | {"plan": head.plan})

    async def _budget(self, request: Request) -> Response:
        self._take(self._client(request))
        totals = await self._ledger.totals()
        if totals is None:
            raise away(NO_LEDGER)
        said = {name: getattr(totals, name) for name in TOTALS}
        spent = {"on": dict(totals.on), "caps": dict(totals.caps)}
        return json_reply(said | spent)

    async def _openapi(self, _: Request) -> Response:
        return json_reply(document())

    def _client(self, request: Request) -> str:
        """Who asks, by the token alone."""
        said = request.headers.get("authorization", "")
        token = said[len(BEARER) :] if said.lower().startswith(BEARER) else ""
        client = self._tokens.client_of(token.strip())
        if client is None:
            raise unauthorised()
        return client

    def _take(self, client: str, questions: int = 1) -> None:
        if seconds := self._rates.wait(client, questions):
            raise too_many(seconds)

    async def _body(self, request: Request) -> bytes:
        """All of it, unless it is too long or too slow."""
        most, body = self._options.body_bytes, bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for piece in request.stream():
                    body += piece
                    if len(body) > most:
                        raise too_large(most)
        except (TimeoutError, ClientDisconnect):
            raise invalid(BROKEN) from None
        return bytes(body)


def _reply(asked: AskedInBody, answers: list[QueryAnswered]) -> Response:
    if asked.batch:
        return json_reply({"answers": answers})
    return json_reply(answers[0], STATUS[answers[0].status])


def _late(asked: AskedInBody, number: int) -> QueryAnswered:
    """What a question without an answer is told."""
    event = asked.events[number]
    words = (
        "no answer came in time. Asking again is safe and costs no budget twice; if it"
        " persists, ask the operator for `sigma doctor`."
    )
    return QueryAnswered(
        request_id=event.request_id,
        client=event.client,
        status="expired",
        error=Trouble(code="no_answer", message=words),
    )


async def _no_page(_: Request, error: Exception) -> Response:
    """An address or a method that is not there."""
    status = getattr(error, "status_code", HTTPStatus.NOT_FOUND)
    known: Any = getattr(error, "headers", None)
    words = "no such page or method; /v1/openapi.json lists them."
    return RequestRefused(HTTPStatus(status), "no_page", words, known).reply()


async def _fault(_: Request, error: Exception) -> Response:
    """What nobody foresaw, without a word of it."""
    log.warning("request_failed", failure="internal", why=type(error).__name__)
    return failed().reply()
