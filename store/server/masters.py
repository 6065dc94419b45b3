"""Connections to the server that sentinels call the master, asked for at each of them.

After a failover a connection to the old master ends, or is ended at its first refusal
to write; the act fails as by any lost reply, and is repeated on the new master.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from redis.asyncio import BlockingConnectionPool
from redis.asyncio.connection import parse_url
from redis.asyncio.sentinel import (
    Sentinel,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

_Sentinel: Any = Sentinel  # it carries no types

# What a connection to a sentinel has in common with one to the store.
SHARED = (
    "socket_timeout",
    "socket_connect_timeout",
    "protocol",
    "client_name",
    "driver_info",
    "retry",
    "retry_on_error",
)


@dataclass(frozen=True, slots=True)
class Sentinels:
    """Who watches the servers.

    Attributes:
        addresses: host and port of each; any one that answers is enough.
        master: the name by which they know the master.
        user: at the sentinels, with its ``password``, where they ask for one.
    """

    addresses: Sequence[tuple[str, int]]
    master: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)


class MasterPool(BlockingConnectionPool):
    """A bounded pool, all of whose connections lead to the master."""

    is_master, check_connection = True, False  # as redis-py's connections ask

    def __init__(
        self, sentinels: Sentinels, url: str, settings: Mapping[str, Any]
    ) -> None:
        about: dict[str, Any] = {**parse_url(url), **settings}
        secure = about.pop("connection_class", None) is not None
        for of_one_server in ("host", "port"):
            about.pop(of_one_server, None)
        kind = SentinelManagedSSLConnection if secure else SentinelManagedConnection
        super().__init__(connection_class=kind, **about)
        self.connection_kwargs["connection_pool"] = weakref.proxy(self)
        self._watched, self._master = _watchers(sentinels, about, secure=secure), None
        self._name = sentinels.master

    def __repr__(self) -> str:  # redis-py's would show itself within itself
        return f"<MasterPool of {self._name}>"

    async def get_master_address(self) -> Any:  # noqa: ANN401  (redis-py's word)
        """Host and port of the master; idle connections to another one end."""
        master = await self._watched.discover_master(self._name)
        if master != self._master:
            self._master = master
            await self.disconnect(inuse_connections=False)
        return master

    async def aclose(self) -> None:
        """Disconnect, from the sentinels as well."""
        await self._watched.aclose()
        await super().aclose()


def _watchers(sentinels: Sentinels, about: Mapping[str, Any], *, secure: bool) -> Any:  # noqa: ANN401  (redis-py's)
    shared = {
        name: value
        for name, value in about.items()
        if name in SHARED or (secure and name.startswith("ssl_"))
    }
    login = {"username": sentinels.user, "password": sentinels.password}
    return _Sentinel(
        sentinels.addresses,
        sentinel_kwargs={**shared, **login, "ssl": secure},
    )
