"""Clients of the store as the settings describe it, and what a dataset has there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from redis.asyncio import Redis as Store

from config.protection import addresses
from config.servers import Redis
from config.settings import Settings
from store.keys import Keys
from store.ledger.ledger import RedisLedger
from store.migration.recognition import refuse_old_keys
from store.releases.plan_requests import Plans
from store.releases.released import Released
from store.sensitive import Bases, Rows, Truth
from store.server.connection import connect
from store.server.masters import Sentinels
from workers.clients.settings import load_dataset
from workers.clients.tls import TlsFiles


def connect_store(redis: Redis, name: str = "sigma") -> Store:
    """A client of the store; nothing is sent before its first use.

    Raises:
        InvalidSettings: a file for TLS is not what its variable says.
    """
    url = _url(redis)
    return connect(
        url,
        timeout=redis.timeout_seconds,
        connections=redis.pool_size,
        name=name,
        tls=redis_tls(redis).for_redis() if url.startswith("rediss:") else {},
        sentinels=_sentinels(redis),
        replicas=redis.replicas,
    )


def redis_tls(redis: Redis) -> TlsFiles:
    """The files of a connection to a ``rediss://``."""
    return TlsFiles(
        redis.variable(""),
        redis.ca_file,
        redis.certificate_file,
        redis.key_file,
        redis.key_password,
    )


def _sentinels(redis: Redis) -> Sentinels | None:
    if redis.sentinels is None:
        return None
    named = [a.rpartition(":") for a in addresses(redis.sentinels)]
    word = redis.sentinel_password
    return Sentinels(
        [(host, int(port)) for host, _, port in named],
        redis.sentinel_master,
        redis.sentinel_user,
        None if word is None else word.get_secret_value(),
    )


@dataclass(frozen=True, slots=True)
class DatasetStores:
    """All that is kept of one dataset, over one connection."""

    redis: Store
    keys: Keys
    rows: Rows
    truth: Truth
    bases: Bases
    ledger: RedisLedger
    released: Released
    plans: Plans

    @classmethod
    def of(cls, redis: Store, keys: Keys) -> DatasetStores:
        """All of them, over this connection."""
        here = redis, keys
        return cls(
            *here,
            Rows(*here),
            Truth(*here),
            Bases(*here),
            RedisLedger(*here),
            Released(*here),
            Plans(*here),
        )


@asynccontextmanager
async def open_stores(
    settings: Settings, name: str = "sigma", *, rows: bool = False
) -> AsyncIterator[DatasetStores]:
    """The stores of the settings' dataset, closed at the end; see ``reach_stores``.

    ``rows`` says that the caller may read the truth, and looks for old keys of it, too.

    Raises:
        OldKeys: they are of an older release; the operator migrates them.
        StoreUnavailable: no answer; the caller tries again.
    """
    async with reach_stores(settings, name) as stores:
        await refuse_old_keys(stores.redis, stores.keys, rows=rows)
        yield stores


@asynccontextmanager
async def reach_stores(
    settings: Settings, name: str = "sigma"
) -> AsyncIterator[DatasetStores]:
    """The same, whatever their keys are called; nothing is sent before a first use."""
    keys = Keys(load_dataset(settings).schema.name)
    redis = connect_store(settings.redis, name)
    try:
        yield DatasetStores.of(redis, keys)
    finally:
        await redis.aclose()


def _url(redis: Redis) -> str:
    """The store's address with user and password put in."""
    url = redis.url.get_secret_value()
    if redis.user is None and redis.password is None:
        return url
    parts = urlsplit(url)
    word = "" if redis.password is None else redis.password.get_secret_value()
    who = f"{quote(redis.user or '', safe='')}:{quote(word, safe='')}"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{who}@{host}"))
