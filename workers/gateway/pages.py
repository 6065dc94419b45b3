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
from workers.gateway.bodies import AskedInBody, asked_in, standing_in
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
        acts: tuple[tuple[str, str, PageAct], ...] = (
            ("POST", "/v1/ask", self._ask),
            ("POST", "/v1/price", self._price),
            ("GET", "/v1/schema", self._schema),
            ("GET", "/v1/plan", self._plan),
            ("GET", "/v1/budget", self._budget),
            ("GET", "/v1/standing", self._standing),
            ("PUT", "/v1/standing/{name}", self._stand),
            ("DELETE", "/v1/standing/{name}", self._end),
            ("GET", "/v1/results/stream", self._stream),
            ("GET", "/v1/openapi.json", self._openapi),
        )
        counting = CountedActs(self._metrics)
        routes = [
            Route(path, counting.counted(_name(path), act), methods=[method])
            for method, path, act in acts
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
            "allow_methods": ["GET", "POST", "PUT", "DELETE"],
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

    async def _standing(self, request: Request) -> Response:
        found = self._sources.around.acts.of(self._let_in(request))
        return json_reply({"questions": found})

    async def _stand(self, request: Request) -> Response:
        entrance = self._entrance
        client = entrance.of_header(request)
        body = await entrance.body(request)
        question = standing_in(body, client, request.path_params["name"])
        entrance.take(client)
        seconds = entrance.options.answer_seconds
        await self._sources.around.acts.stand(question, seconds)
        return json_reply(question, HTTPStatus.ACCEPTED)

    async def _end(self, request: Request) -> Response:
        client, name = self._let_in(request), request.path_params["name"]
        seconds = self._entrance.options.answer_seconds
        await self._sources.around.acts.end(client, name, seconds)
        return json_reply({"name": name}, HTTPStatus.ACCEPTED)

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

    def _let_in(self, request: Request) -> str:
        client = self._entrance.of_header(request)
        self._entrance.take(client)
        return client


def _name(path: str) -> str:
    """As the operator sees it; no name of a client's is in it."""
    return path.removesuffix("/{name}").rpartition("/")[2].removesuffix(".json")


def _reply(asked: AskedInBody, answers: list[QueryAnswered]) -> Response:
    if asked.batch:
        return json_reply({"answers": answers})
    return json_reply(answers[0], STATUS[answers[0].status])
