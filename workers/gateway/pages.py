"""Pages: what each address of the gateway does, as a Starlette application."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from config.metrics import Metrics
from streams.wire.messages.events import QueryAnswered
from workers.gateway.bodies import AskedInBody, asked_in
from workers.gateway.entrance.entrance import token_of
from workers.gateway.open_api import document
from workers.gateway.refusals import NO_EPOCH, NO_LEDGER, away, json_reply
from workers.gateway.replies import CountedActs, PageAct, fault, no_page
from workers.gateway.results import answer_stream, in_json
from workers.gateway.web import WebRoom, WebSources

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


class Pages:
    """What clients reach; each act reads the token first and takes from a rate."""

    def __init__(self, sources: WebSources, metrics: Metrics) -> None:
        self._sources, self._metrics = sources, metrics
        self._entrance = sources.entrance

    def app(self) -> Starlette:
        """The application; no other site may call it unless the options name it."""
        acts: dict[str, tuple[str, PageAct]] = {
            "/v1/ask": ("POST", self._ask),
            "/v1/price": ("POST", self._price),
            "/v1/schema": ("GET", self._schema),
            "/v1/plan": ("GET", self._plan),
            "/v1/budget": ("GET", self._budget),
            "/v1/results/stream": ("GET", self._stream),
            "/v1/openapi.json": ("GET", self._openapi),
        }
        counting = CountedActs(self._metrics)
        routes = [
            Route(path, counting.counted(_name(path), act), methods=[method])
            for path, (method, act) in acts.items()
        ]
        app = Starlette(
            routes=[*routes, *WebRoom(self._sources).routes(counting)],
            middleware=self._middleware(),
            exception_handlers={HTTPException: no_page, Exception: fault},
        )
        app.router.redirect_slashes = False  # to whatever Host says, and without TLS
        return app

    def _middleware(self) -> list[Middleware]:
        if not self._entrance.options.origins:
            return []
        named: dict[str, Any] = {
            "allow_origins": self._entrance.options.origins,
            "allow_methods": ["GET", "POST"],
            "allow_headers": ["authorization", "content-type", "last-event-id"],
        }
        return [Middleware(CORSMiddleware, **named)]

    async def _ask(self, request: Request) -> Response:
        return await self._answered(request, price=False)

    async def _price(self, request: Request) -> Response:
        return await self._answered(request, price=True)

    async def _answered(self, request: Request, *, price: bool) -> Response:
        entrance = self._entrance
        client = entrance.of_header(request)
        body = await entrance.body(request)
        asked = asked_in(body, client, entrance.options.batch, price=price)
        entrance.take(client, len(asked.events))
        seconds = entrance.options.answer_seconds
        found = await self._sources.questions.answers(asked.events, seconds)
        return _reply(asked, found)

    async def _schema(self, request: Request) -> Response:
        self._let_in(request)
        return json_reply(self._sources.known_catalog())

    async def _plan(self, request: Request) -> Response:
        self._let_in(request)
        head = await self._sources.released.head()
        if head is None:
            raise away(NO_EPOCH)
        named = {name: getattr(head, name) for name in ("epoch", "as_of_ms", "frozen")}
        return json_reply(named | {"plan": head.plan})

    async def _budget(self, request: Request) -> Response:
        self._let_in(request)
        totals = await self._sources.ledger.totals()
        if totals is None:
            raise away(NO_LEDGER)
        said = {name: getattr(totals, name) for name in TOTALS}
        spent = {"on": dict(totals.on), "caps": dict(totals.caps)}
        return json_reply(said | spent)

    async def _stream(self, request: Request) -> Response:
        """Answers of the token's client, until it ends or the token does."""
        entrance, token = self._entrance, token_of(request)
        client = entrance.of_token(token)
        entrance.take(client)
        return answer_stream(
            self._sources.listeners.listen(client),
            partial(entrance.knows, token, client),
            in_json,
            again="last-event-id" in request.headers,
        )

    async def _openapi(self, _: Request) -> Response:
        return json_reply(document())

    def _let_in(self, request: Request) -> None:
        self._entrance.take(self._entrance.of_header(request))


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")


def _reply(asked: AskedInBody, answers: list[QueryAnswered]) -> Response:
    if asked.batch:
        return json_reply({"answers": answers})
    return json_reply(answers[0], STATUS[answers[0].status])
