"""Signing in: a token is given once, and travels in a cookie of this site alone.

The gateway keeps nothing: the cookie is the token, no script can read it, and no other
site can have it sent. It ends with the browser, or when it is given back.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from workers.gateway.refusals import RequestRefused
from workers.gateway.web.headers import FRESH

COOKIE: Final = "sigma_token"
LOGIN, LOGOUT, HOME = "/login", "/logout", "/"
NOT_OURS: Final = (
    "the request comes from a page of another site, or a browser that does not say"
    " where from; nothing was asked. Open the page here and press its button."
)


def token_in(request: Request) -> str:
    """The token of whoever is signed in, or nothing."""
    return request.cookies.get(_name(request), "")


def signed_in(request: Request, token: str) -> Response:
    """To the first page, with the token in a cookie."""
    reply = to(HOME)
    secure = _secure(request)
    reply.set_cookie(
        _name(request), token, httponly=True, samesite="strict", secure=secure
    )
    return reply


def signed_out(request: Request) -> Response:
    """To the form, and the browser forgets the token."""
    reply = to(LOGIN)
    secure = _secure(request)
    reply.delete_cookie(_name(request), httponly=True, samesite="strict", secure=secure)
    return reply


def to(address: str) -> Response:
    """Another page, which is fetched and not sent to."""
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, FRESH)


def check_origin(request: Request) -> None:
    """A form is taken from our own pages alone.

    Browsers say so in ``Sec-Fetch-Site``, over plain HTTP to another machine only in
    ``Origin``.

    Raises:
        RequestRefused: it comes from elsewhere, or does not say where from.
    """
    site = request.headers.get("sec-fetch-site")
    ours = _own_origin(request) if site is None else site == "same-origin"
    if not ours:
        raise RequestRefused(HTTPStatus.FORBIDDEN, "another_site", NOT_OURS)


def _own_origin(request: Request) -> bool:
    """Whether ``Origin`` is ours; under TLS a page that came without it is not."""
    schemes = ("https",) if _secure(request) else ("http", "https")
    host = request.headers.get("host", "")
    ours = [f"{scheme}://{host}" for scheme in schemes]
    return bool(host) and request.headers.get("origin") in ours


def _secure(request: Request) -> bool:
    """Whether the browser came over TLS, to here or to a proxy that says so.

    Who makes the header up gets a cookie that their own browser keeps to itself.
    """
    proxied = request.headers.get("x-forwarded-proto", "")
    nearest, _, _ = proxied.partition(",")  # to the browser, of several proxies
    return (nearest.strip().lower() or request.url.scheme) == "https"


def _name(request: Request) -> str:
    """Under TLS a name that browsers keep to this very host."""
    return f"__Host-{COOKIE}" if _secure(request) else COOKIE
