"""The gateway: HTTP → queries, results → HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import uvicorn

from config.logs import Log
from config.metrics import HTTP_IN_FLIGHT, HTTP_LISTENERS, Metrics
from sigmacount.domain import Schema
from sigmacount.errors import InvalidMessage, StreamUnavailable
from store.ledger.ledger import RedisLedger
from store.releases.plan_requests import Plans
from store.releases.released import Released
from streams.clients.publisher import Publisher
from streams.wire.codec import decode
from streams.wire.messages.catalog import Catalog
from streams.wire.topics import Topics
from workers.gateway.entrance import (
    ClientTokens,
    Entrance,
    GatewayOptions,
    PromptProtocol,
)
from workers.gateway.following import FollowedTopics, GatewayReaders
from workers.gateway.pages import Pages
from workers.gateway.results import (
    AnswerListeners,
    Heard,
    QuestionsInFlight,
    StandingActs,
)
from workers.gateway.web import BrokerSays, WebSources, WebSurroundings
from workers.running.retrying import Retrier, ended

ROLE = "gateway"
LOOK_SECONDS = 0.2
GRACE_SECONDS = 5  # what open requests get after SIGTERM; a worker has ten
BACKLOG = 512
HEADER_BYTES = 16_384
LOOPBACK = ("127.", "::1", "localhost")


class _Server(uvicorn.Server):
    """Uvicorn inside a process that handles its own signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """None: the process around it tells it to stop."""
        yield


class GatewayStores(NamedTuple):
    """What a gateway reads of the store, as its user `dashboard` may."""

    released: Released
    ledger: RedisLedger
    plans: Plans


class Gateway:
    """HTTP → queries, standing; results → HTTP: a client of Kafka like any other.

    Reads   answers, the catalog, the served head and the ledger's totals; for pages
            what stands, and the charges of the topic `ledger`.
    Spends  what its clients' questions cost, in the name that their token says.
    Repeats safely: a question asked again costs what it does of any client.
    """

    def __init__(
        self,
        options: GatewayOptions,
        topics: Topics,
        publisher: Publisher,
        readers: GatewayReaders,
        stores: GatewayStores,
        schema: Schema,
        look: Callable[[], BrokerSays],
        metrics: Metrics,
    ) -> None:
        """``look`` asks the broker who is at work, and may take seconds."""
        ClientTokens(options.tokens).refresh()  # nobody could be let in: say so now
        self._options, self._publisher, self._metrics = options, publisher, metrics
        self._dataset, self._log = schema.name.encode(), Log(ROLE)
        self._retry = Retrier(ROLE, self._log, metrics)
        self._questions = QuestionsInFlight(publisher, topics, options.in_flight)
        self._listeners = AnswerListeners(options.listeners)
        entrance, begun_ms = Entrance(options), time.time_ns() // 1_000_000
        self._heard = Heard(schema.name, entrance.has_client, begun_ms)
        acts = StandingActs(publisher, topics, self._heard)
        self._topics = FollowedTopics(readers, self._hear, self._learn, self._heard)
        self._sources = WebSources(
            entrance,
            self._questions,
            self._listeners,
            stores.released,
            stores.ledger,
            WebSurroundings(schema, stores.plans, acts, look),
        )
        self._pages = Pages(self._sources, metrics)
        self._server: _Server | None = None
        self._port = options.port

    async def run(self, stop: asyncio.Event) -> None:
        """Serve until asked to stop; requests that are open are finished."""
        over = asyncio.Event()  # answers are read until the last request has its own
        async with self._publisher:
            tasks = self._topics.tasks(self._retry, over)
            try:
                await self._served(tasks, stop)
            finally:
                over.set()
                await ended(tasks)

    async def _served(
        self, tasks: list[asyncio.Task[None]], stop: asyncio.Event
    ) -> None:
        with self._listening() as listener:
            self._server = server = _Server(self._config())
            serving = asyncio.create_task(server.serve([listener]))
            try:
                while not stop.is_set():
                    for task in (*tasks, serving):
                        if task.done():
                            task.result()
                    self._metrics.set(HTTP_IN_FLIGHT, len(self._questions))
                    self._metrics.set(HTTP_LISTENERS, len(self._listeners))
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), LOOK_SECONDS)
            finally:
                self._listeners.end()
                server.should_exit = True
                await asyncio.wait([serving])

    def ready(self) -> bool:
        """It listens, and no answer can be missed."""
        started = self._server is not None and self._server.started
        return started and self._topics.hearing.is_set()

    def describe(self) -> dict[str, Any]:
        """Where it listens, and how many questions wait."""
        return {"port": self._port, "in_flight": len(self._questions)}

    def _hear(self, key: bytes, value: bytes) -> None:
        self._questions.hear(key, value)
        self._listeners.hear(value)
        self._heard.answer(value)

    def _learn(self, key: bytes, value: bytes) -> None:
        if key == self._dataset:
            with contextlib.suppress(InvalidMessage):
                self._sources.catalog = decode(Catalog, value)

    def _listening(self) -> socket.socket:
        options = self._options
        try:
            family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
            listener = socket.create_server(
                (options.host, options.port), family=family, backlog=BACKLOG
            )
        except OSError as error:
            msg = (
                f"the gateway cannot listen on {options.host}:{options.port}: name"
                " another with SIGMA_GATEWAY_HOST and SIGMA_GATEWAY_PORT"
            )
            raise StreamUnavailable(msg) from error
        self._port = listener.getsockname()[1]
        if options.certificate is None and not options.host.startswith(LOOPBACK):
            self._log.warning("tokens_in_the_clear", host=options.host)
        return listener

    def _config(self) -> uvicorn.Config:
        options = self._options
        return uvicorn.Config(
            self._pages.app(),
            http=PromptProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=HEADER_BYTES,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key and str(options.key),
        )
