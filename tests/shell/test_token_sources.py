"""Tokens from a file and from an endpoint: kept, renewed, and never shown."""

from __future__ import annotations

import time

import pytest

from streams.security.token_providers import AwaitedToken, WaitedToken
from streams.security.token_sources import NoToken, TokenEndpoint, TokenFile
from tests.fixtures.token_server import CLIENT, SECRET, Issuer, token_server


@pytest.fixture(scope="module")
def server():
    """A token endpoint on loopback, without TLS."""
    with token_server(Issuer(), None) as tokens:
        yield tokens


@pytest.fixture
def endpoint(server):
    """A client of it, which holds no token yet."""
    server.seconds, server.instead = 600, None
    server.asked.clear()
    return TokenEndpoint(server.url, CLIENT, SECRET, scope="a b")


@pytest.fixture
def clock(monkeypatch):
    """``clock.now`` is what the endpoint's client takes for the time."""

    class Clock:
        now = time.monotonic()

    monkeypatch.setattr(
        "streams.security.token_sources.time.monotonic", lambda: Clock.now
    )
    return Clock


def test_a_token_is_kept_for_most_of_its_life(server, endpoint, clock):
    """Eight tenths; the form is that of client credentials, with the scopes."""
    first = endpoint.token()
    clock.now += 479
    assert endpoint.token() == first
    clock.now += 2
    assert endpoint.token() != first

    form = {"grant_type": ["client_credentials"], "scope": ["a b"]}
    assert [asked[1] for asked in server.asked] == [form, form]


def test_one_that_is_still_good_is_shown_while_the_endpoint_fails(
    server, endpoint, clock
):
    """Until it ends; then there is none."""
    first = endpoint.token()
    server.instead = 503, b""
    clock.now += 590
    assert endpoint.token() == first
    clock.now += 11

    with pytest.raises(NoToken, match="HTTP 503"):
        endpoint.token()


def test_one_without_an_end_is_not_kept(server, endpoint):
    """It may end at any time, so each connection asks for its own."""
    server.instead = 200, b'{"access_token": "abc.def"}'

    assert (endpoint.token(), endpoint.token()) == ("abc.def", "abc.def")
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, b'{"error": "invalid_client", "x": "canary"}', "HTTP 401 invalid_client"),
        (400, b'{"error": "canary CANARY"}', "HTTP 400)"),
        (302, b"canary", "HTTP 302"),
        (200, b'{"access_token": 7, "x": "canary"}', "ValidationError"),
        (200, b"canary", "DecodeError"),
        (200, b'{"access_token": "canary\\u0001auth=x"}', "ValueError"),
    ],
)
def test_an_answer_that_holds_no_token_says_so_and_is_not_quoted(
    server, endpoint, status, body, said
):
    """A token with a control character could say more than itself to the broker."""
    server.instead = status, body

    with pytest.raises(NoToken) as refused:
        endpoint.token()

    assert said in str(refused.value)
    assert "SIGMA_KAFKA_OAUTH_TOKEN_URL" in str(refused.value)
    for secret in ("canary", SECRET):
        assert secret not in str(refused.value)


def test_nobody_there_is_no_token(endpoint):
    """A connection that failed, to the clients of Kafka."""
    away = TokenEndpoint("http://127.0.0.1:1/token", CLIENT, SECRET)

    with pytest.raises(OSError, match="ConnectionRefusedError"):
        away.token()


async def test_a_file_is_read_at_each_connection(tmp_path):
    """Both clients' ways to ask; what renews it needs to tell nobody."""
    path = tmp_path / "token"
    source = TokenFile(path)
    for text in ("first.of.all", "second"):
        path.write_text(f"{text}\n")
        assert WaitedToken(source).token() == text
        assert await AwaitedToken(source).token() == text


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff", b"a" * 70_000])
def test_a_file_without_a_token_names_its_variable(tmp_path, content):
    """It may be written a moment later, so the next connection looks again."""
    path = tmp_path / "token"
    path.write_bytes(content)

    with pytest.raises(NoToken, match="SIGMA_KAFKA_OAUTH_TOKEN_FILE"):
        TokenFile(path).token()
