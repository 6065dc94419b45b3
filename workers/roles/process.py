"""A process of the service: its servers waited for, its role built, and run."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from typing import NoReturn
from urllib.parse import urlsplit

from redis.asyncio import Redis as Store

from config import logs
from config.settings import Settings
from sigmacount.errors import (
    Mismatch,
    SigmaError,
    StreamRefused,
    StreamUnavailable,
)
from store.migration.recognition import refuse_old_keys
from store.server.connection import translated
from store.server.safety import check_durability, check_server
from streams.process import app
from workers import clients
from workers.roles.counter import counter
from workers.roles.curator import curator
from workers.roles.gateway import gateway
from workers.roles.metrics_page import MetricsPage, version
from workers.roles.parts import RoleParts
from workers.roles.reclusterer import reclusterer
from workers.roles.responder import responder
from workers.roles.watched import WatchedRole
from workers.running.garbage_collection import calm_collector

REDIS_PORT = 6379  # where a URL names none


def run(role: str) -> NoReturn:
    """Run one role until it is asked to stop.

    Raises:
        SigmaError: it could not start; the text names the remedy.
        SystemExit: at the end; 0 when it was asked to stop.
    """
    settings = clients.load_settings()
    logs.start(settings.logs.level, settings.logs.format)
    signal.signal(signal.SIGTERM, _leave)  # until Faust takes over, also as pid 1
    parts = RoleParts(settings, role)
    log = logs.Log(role)
    log.info("started", **_introduction(parts.settings, parts.schema.name))
    asyncio.run(_await_store(parts))
    make = _waited(settings.kafka.wait_seconds, lambda: MAKERS[role](parts))
    faust = _process(parts, make)
    calm_collector()
    try:
        app.run(faust, settings.kafka.wait_seconds)
    except SystemExit as end:
        log.info("stopped", exit=end.code if isinstance(end.code, int) else 1)
        raise


def _process(parts: RoleParts, make: app.Make) -> app.QuietApp:
    """One role in a process of its own, with its pages."""
    settings, kafka = parts.settings, parts.settings.kafka
    watched = WatchedRole(parts)
    return app.faust_app(
        clients.process_group(kafka, parts.role),
        kafka.bootstrap,
        watched.made_by(make),
        host=settings.web.host,
        port=settings.web.port,
        metrics=MetricsPage(parts, watched.ready).shown,
        replication=kafka.replication_factor,
        session_seconds=kafka.session_timeout_ms / 1000,
        protection=clients.aiokafka_settings(kafka),
    )


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)


async def _await_store(parts: RoleParts) -> None:
    """Wait for Redis; refuse one that may lose what this role entrusts to it.

    Raises:
        UnsafeStore: it may; the operator mends the server.
        OldKeys: it is of an older release; the operator migrates it.
    """
    look = TRUST.get(parts.role, _pinged)
    until = time.monotonic() + parts.settings.redis.wait_seconds
    redis = clients.connect_store(parts.settings.redis, parts.owner)
    try:
        while True:
            try:
                await look(redis)
                await refuse_old_keys(redis, parts.keys, rows=parts.role in TRUST)
            except SigmaError as error:
                if not error.retriable or time.monotonic() > until:
                    raise
                await asyncio.sleep(0.5)
            else:
                return
    finally:
        await redis.aclose()


async def _pinged(redis: Store) -> None:
    """Roles that only read, or write what can be made again, need an answer."""
    with translated():
        await redis.ping()


TRUST: dict[str, Callable[[Store], Awaitable[object]]] = {
    "counter": check_server,
    "curator": check_durability,
}


def _waited(seconds: float, act: Callable[[], app.Make]) -> app.Make:
    """Wait for the broker and its topics, which may still be coming up."""
    until = time.monotonic() + seconds
    while True:
        try:
            return act()
        except (StreamUnavailable, StreamRefused, Mismatch):
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


MAKERS: dict[str, Callable[[RoleParts], app.Make]] = {
    "counter": counter,
    "curator": curator,
    "responder": responder,
    "reclusterer": reclusterer,
    "gateway": gateway,
}


def _introduction(settings: Settings, dataset: str) -> dict[str, str]:
    """What a process says of itself when it starts; no user, no password."""
    address = urlsplit(settings.redis.url.get_secret_value())
    return {
        "version": version(),
        "dataset": dataset,
        "kafka": settings.kafka.bootstrap,
        "prefix": settings.kafka.prefix,
        "redis": f"{address.hostname}:{address.port or REDIS_PORT}",
    }
