"""`sigma probe`: what a container's health check hears of a worker."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from embedded.ports import free_port
from tests.fixtures.cli import sigma


class Pages(BaseHTTPRequestHandler):
    """Of a worker that lives and is not ready."""

    def do_GET(self):
        """As a worker does."""
        self.send_response(200 if self.path == "/live" else 503)
        self.end_headers()

    def log_message(self, *_):
        """Nothing is written."""


@pytest.fixture(scope="module")
def port():
    """Where such pages are."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104
def test_who_lives_is_alive_and_not_always_ready(port, host):
    """Also where it listens on all addresses, as in a container."""
    alive = sigma("probe", web_port=port, web_host=host)
    ready = sigma("probe", "--ready", web_port=port, web_host=host)

    assert (alive.code, alive.out, alive.err) == (0, "", "")
    assert ready.code == 1
    assert "/ready of the worker: 503" in ready.err


def test_where_nobody_answers_nobody_lives():
    """Whatever else is wrong with the settings."""
    told = sigma("probe", web_port=free_port(), privacy_budget="nonsense")

    assert told.code == 1
    assert "nobody answers" in told.err
