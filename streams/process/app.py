"""Faust, and nothing else of ours imports it: one process around one service.

Faust gives the process: signals, supervision, a leader, web pages. Rows and
queries flow through `BatchConsumer`; a Faust agent would acknowledge an event
whose handler raised, and costs forty times as much (docs/adr).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn, cast

import faust
from aiokafka.client import AIOKafkaClient
from faust.auth import OAuthCredentials
from faust.types.auth import CredentialsT
from faust.web import Request, Response, View
from faust.worker import Worker

from sigmacount.errors import SigmaError, StreamUnavailable
from streams.clients.broker_errors import translated
from streams.process.hosting import Host, IsLeader, Make
from streams.process.watchdog import FAILURE, Watchdog
from streams.security.refusals import refusal

__all__ = ["IsLeader", "Make", "faust_app", "run"]

STOP_SECONDS = 10.0  # what a service gets to finish its batches after SIGTERM
SLACK_SECONDS = 3.0  # what Faust gets beyond that to close its connections
RETRY_SECONDS = 0.5
BROKER_SECONDS = 60.0  # how long a broker may take to come up beside us
SESSION_SECONDS = 10.0  # the embedded broker answers a join after half of it

UNPROTECTED: Final[Mapping[str, Any]] = MappingProxyType({})  # plain text, no user

NO_PAGES: Final[dict[str, Any]] = {  # of Faust's own
    "web_tables_enabled": False,
    "web_router_enabled": False,
    "web_graph_enabled": False,
    "web_stats_enabled": False,
    "web_metrics_enabled": False,
}

# Of a page and its content type, by what the reader accepts.
ShownMetrics = Callable[[str], tuple[bytes, str]]

_Client: Any = AIOKafkaClient  # its methods carry no types


def no_metrics(_: str) -> tuple[bytes, str]:
    """The page of a process that shows none."""
    return b"", "text/plain"


class QuietApp(faust.App):
    """A Faust app that writes nothing to disk; it has no tables."""

    hosting: Host
    grace: float
    protection: Mapping[str, Any]

    def _create_directories(self) -> None:
        """Nothing of ours is kept in files."""


class QuietWorker(Worker):
    """Faust's worker without its banner and spinner; logging is the caller's."""

    def __init__(self, app: QuietApp, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            app, loop=loop, quiet=True, override_logging=False, redirect_stdouts=False
        )
        self.spinner = None
        self._hosting = app.hosting

    def _flag_as_shutdown_by_signal(self) -> None:
        super()._flag_as_shutdown_by_signal()
        self._hosting.ask_to_stop()


def faust_app(  # noqa: PLR0913  (a process is described by this much)
    name: str,
    bootstrap: str,
    make: Make,
    *,
    host: str = "127.0.0.1",
    port: int = 6066,
    metrics: ShownMetrics = no_metrics,
    replication: int = 1,
    session_seconds: float = SESSION_SECONDS,
    stop_seconds: float = STOP_SECONDS,
    protection: Mapping[str, Any] = UNPROTECTED,
) -> QuietApp:
    """An app that hosts the service of ``make``, and serves its pages.

    Processes of the same ``name`` elect one leader among them; two may believe to
    be it for a moment, so whoever writes as leader also holds a fencing token.

    ``protection`` of the connection is in aiokafka's words.

    Units: seconds; ``port`` TCP; ``replication`` of Faust's one internal topic.
    """
    app = QuietApp(
        name,
        loop=_loop(),
        broker=[f"kafka://{address}" for address in bootstrap.split(",")],
        broker_credentials=_credentials(protection),
        store="memory://",
        broker_session_timeout=session_seconds,
        broker_rebalance_timeout=session_seconds,
        broker_heartbeat_interval=session_seconds / 3,
        topic_partitions=1,
        topic_replication_factor=replication,
        web_bind=host,
        web_host=host,
        web_port=port,
        **NO_PAGES,
        worker_redirect_stdouts=False,
    )
    hosting = Host(make, lambda: is_leader(app), stop_seconds)
    app.hosting, app.grace, app.protection = hosting, stop_seconds, protection
    app.service(cast("type[Host]", hosting))  # an instance does as well
    _serve_pages(app, hosting, metrics)
    return app


def _loop() -> asyncio.AbstractEventLoop:
    """The process's one event loop; Faust's objects ask for it while they are made."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


def is_leader(app: faust.App) -> bool:
    """This process owns the app's leader partition; False before it is known."""
    with contextlib.suppress(Exception):
        return bool(app.is_leader())
    return False


def _serve_pages(app: faust.App, hosting: Host, metrics: ShownMetrics) -> None:
    @app.page("/live")
    async def live(view: View, _: Request) -> Response:
        return view.json({"live": True})

    @app.page("/ready")
    async def ready(view: View, _: Request) -> Response:
        about = {} if hosting.hosted is None else hosting.hosted.describe()
        here = hosting.ready()
        leads = is_leader(app)
        answer = {"ready": here, "leader": leads, **about}
        return view.json(answer, status=200 if here else 503)

    @app.page("/metrics")
    async def metrics_page(view: View, request: Request) -> Response:
        page, content_type = metrics(request.headers.get("Accept", ""))
        return view.bytes(page, headers={"Content-Type": content_type})


def run(app: QuietApp, broker_seconds: float = BROKER_SECONDS) -> NoReturn:
    """Run the app's process: until SIGTERM or SIGINT (exit code 0), or a crash (1).

    Raises:
        StreamUnavailable: no broker came up in time; nothing was started.
        StreamRefused: one came up and did not let us in; likewise.
        SigmaError: the service ended with it; its code is the exit code.
        SystemExit: always else, in the end.
    """
    bootstrap = ",".join(f"{url.host}:{url.port}" for url in app.conf.broker)
    waiting = _await_broker(bootstrap, app.protection, broker_seconds)
    app.loop.run_until_complete(waiting)
    worker = QuietWorker(app, app.loop)
    ending = Watchdog(lambda: _due(app, worker), app.grace + SLACK_SECONDS)
    ending.start()
    try:
        worker.execute_from_commandline()
    except SystemExit as end:
        ending.finish()
        if isinstance(app.hosting.cause, SigmaError):
            raise app.hosting.cause from end
        raise SystemExit(FAILURE if app.hosting.failed else end.code) from end


def _due(app: QuietApp, worker: Worker) -> str | None:
    """Faust's own services fail as ours do, and signals come before all of them."""
    if why := app.hosting.due():
        return why
    over = worker.should_stop or app.should_stop
    return "the process stops or one of its services failed" if over else None


async def _await_broker(
    bootstrap: str, protection: Mapping[str, Any], seconds: float
) -> None:
    """Faust gives up at once when no broker answers; one may still be starting."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        client = _Client(bootstrap_servers=bootstrap, **protection)
        try:
            with translated():
                await client.bootstrap()
        except StreamUnavailable as error:
            if asyncio.get_running_loop().time() > deadline:
                raise await refusal(bootstrap, protection) or error from None
            await asyncio.sleep(RETRY_SECONDS)
        else:
            return
        finally:
            await client.close()


def _credentials(protection: Mapping[str, Any]) -> CredentialsT | None:
    """The same in Faust's words."""
    protocol = protection.get("security_protocol", "PLAINTEXT")
    mechanism, context = protection.get("sasl_mechanism"), protection.get("ssl_context")
    if protocol == "PLAINTEXT":
        return None
    if protocol == "SSL":
        return faust.SSLCredentials(context)
    if mechanism == "OAUTHBEARER":
        provider = protection["sasl_oauth_token_provider"]
        return OAuthCredentials(oauth_cb=provider, ssl_context=context)
    return faust.SASLCredentials(
        username=protection["sasl_plain_username"],
        password=protection["sasl_plain_password"],
        ssl_context=context,
        mechanism=mechanism,
    )
