"""A request comes whole and soon, or its connection is closed; an answer may take."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn

from workers.gateway.entrance import PromptProtocol

SHORT = 0.3  # seconds
HEAD = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n"


class Hurried(PromptProtocol):
    """With little patience."""

    whole_seconds = SHORT


async def echo(scope, receive, send):
    """Says what it was sent; at /early before it looked at it, at /late, later."""
    body, more = b"early", scope["path"] != "/early"
    while more:
        piece = await receive()
        more = piece.get("more_body", False)
        body = piece.get("body", b"")
    if scope["path"] == "/late":
        await asyncio.sleep(3 * SHORT)
    about = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": about})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def connected():
    """Both ends of a connection to such a server."""
    config = uvicorn.Config(echo, http=Hurried, lifespan="off", log_config=None)
    config.load()
    server = uvicorn.Server(config)
    loop = asyncio.get_running_loop()

    def made():
        return Hurried(config, server.server_state, {}, loop)

    listening = await loop.create_server(made, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
    try:
        yield reader, writer
    finally:
        writer.close()
        listening.close()


async def read(reader):
    """All that comes until the connection is closed."""
    found = b""
    with suppress(ConnectionError):
        while piece := await reader.read(1_000):
            found += piece
    return found


@pytest.mark.parametrize(
    "begun",
    [b"", b"POST /", HEAD, HEAD + b"\r\n", HEAD + b"\r\nab"],
    ids=["nothing", "line", "headers", "no body", "half a body"],
)
async def test_what_is_never_whole_is_let_go(begun):
    """Though it was begun, and though a byte comes now and then."""
    async with connected() as (reader, writer):
        writer.write(begun)

        assert await read(reader) == b""


async def test_a_body_that_trickles_after_its_reply_is_let_go():
    """Nobody reads it any more."""
    async with connected() as (reader, writer):
        writer.write(HEAD.replace(b"POST /", b"POST /early") + b"\r\na")
        said = await read(reader)

    assert said.endswith(b"early")


async def test_an_answer_may_take_longer_than_its_question():
    """And the connection serves the next request."""
    async with connected() as (reader, writer):
        for _ in range(2):
            writer.write(HEAD.replace(b"POST /", b"POST /late") + b"\r\nabcd")
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(4) == b"abcd"
