"""The room of pages: who is not signed in is asked to, everybody else is shown."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dashboard import asset, part, whole
from dashboard.assets import VERSION
from dashboard.pages.sign_in import RefusedPage, SignInPage
from workers.gateway.refusals import RequestRefused
from workers.gateway.replies import CountedActs, PageAct
from workers.gateway.web.headers import FRESH, KEPT
from workers.gateway.web.sign_in import (
    LOGIN,
    LOGOUT,
    check_origin,
    signed_in,
    signed_out,
    to,
    token_in,
)
from workers.gateway.web.table import GET, POST, TABLE
from workers.gateway.web.visits import (
    Show,
    Visit,
    WebSources,
    by_htmx,
    fields_of,
)

UNKNOWN: Final = "No client has this token. Look whether all of it was copied."
TITLES: Final = {
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests",
    HTTPStatus.SERVICE_UNAVAILABLE: "Not now",
    HTTPStatus.NOT_FOUND: "No such page",
}


class WebRoom:
    """Pages for people; each visit is somebody's, and takes from their rate."""

    def __init__(self, sources: WebSources) -> None:
        self._sources = sources

    def routes(self, acts: CountedActs) -> Iterator[Route]:
        """All addresses, under the names by which the operator sees them."""
        own: tuple[tuple[str, str, PageAct], ...] = (
            (GET, LOGIN, _form),
            (POST, LOGIN, self._sign_in),
            (POST, LOGOUT, _sign_out),
            (GET, "/static/{name}", _static),
        )
        shown = tuple((how, at, self._shown(at, show)) for how, at, show in TABLE)
        for method, address, act in (*own, *shown):
            counted = acts.counted(address, act, _refused)
            yield Route(address, counted, methods=[method])

    def _shown(self, here: str, show: Show) -> PageAct:
        """The act that shows a page to who is signed in."""

        async def act(request: Request) -> Response:
            visit = await self._visit(request)
            found = await show(self._sources, visit)
            if isinstance(found, Response):
                return found
            if found.part is not None and visit.by_htmx:
                return html(part(found.part, found.page), found.status)
            text = whole(found.template, found.page, here, visit.client)
            return html(text, found.status)

        return act

    async def _visit(self, request: Request) -> Visit:
        entrance, text = self._sources.entrance, request.url.query
        token = token_in(request)
        client = entrance.of_token(token)
        if request.method == POST:
            check_origin(request)
            text = _text(await entrance.body(request))
        entrance.take(client)
        fields, again = fields_of(text), "last-event-id" in request.headers
        return Visit(
            client, token, request.url.path, fields, by_htmx(request), again=again
        )

    async def _sign_in(self, request: Request) -> Response:
        check_origin(request)
        body = await self._sources.entrance.body(request)
        token = fields_of(_text(body)).get("token", ("",))[0].strip()
        try:
            self._sources.entrance.of_token(token)
        except RequestRefused:
            page = SignInPage(UNKNOWN)
            text = whole("login.html", page, LOGIN, None)
            return html(text, HTTPStatus.UNAUTHORIZED)
        return signed_in(request, token)


def html(text: str, status: int = HTTPStatus.OK) -> Response:
    """A page that nobody keeps, and that runs and fetches nothing of anybody else."""
    return Response(text, status, FRESH, "text/html")


async def _form(_: Request) -> Response:
    return html(whole("login.html", SignInPage(), LOGIN, None))


async def _sign_out(request: Request) -> Response:
    check_origin(request)
    return signed_out(request)


async def _static(request: Request) -> Response:
    """A script, a style or a picture; whoever asks, for it says nothing.

    A browser keeps what its page named: while releases are replaced, one page may name
    what another gateway does not have.
    """
    found = asset(request.path_params["name"])
    if found is None:
        words = "no such file belongs to the pages."
        raise RequestRefused(HTTPStatus.NOT_FOUND, "no_page", words)
    asked = request.query_params.get(VERSION)
    kept = KEPT if asked == found.version else FRESH
    return Response(found.content, 200, kept, found.kind)


def _refused(request: Request, refused: RequestRefused) -> Response:
    """A refusal in words; who is not signed in is asked to."""
    if refused.status == HTTPStatus.UNAUTHORIZED:
        if not by_htmx(request):
            return to(LOGIN)
        return Response("", refused.status, FRESH | {"hx-redirect": LOGIN})
    title = TITLES.get(refused.status, "Refused")
    said = refused.message[:1].upper() + refused.message[1:]
    page = RefusedPage(title, said)
    if by_htmx(request):
        reply = html(part("parts/refused.html", page), refused.status)
    else:
        text = whole("refused.html", page, request.url.path, None)
        reply = html(text, refused.status)
    reply.headers.update(refused.headers)
    return reply


def _text(body: bytes) -> str:
    """A form's bytes; percent signs spell whatever is not ASCII."""
    return body.decode("latin-1")
