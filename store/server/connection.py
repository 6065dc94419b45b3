"""One way to reach Redis: bounded pool, explicit timeouts, no hidden retries."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import MasterNotFoundError
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from sigmacount.errors import SigmaError, StoreForbids, StoreRefused, StoreUnavailable
from store.server.masters import MasterPool, Sentinels

_IN_A_SCRIPT = re.compile("ACL failure in script|user executing the script can't")
_MAY_NOT = re.compile(
    r"(?i)(?:user ([\w.-]+)|this user) has no permissions to run the '([\w|]+)'"
)


class StoreClient(Redis):
    """A client that knows how many replicas must keep what may never be lost."""

    replicas = 0


def connect(
    url: str,
    *,
    timeout: float = 10.0,
    connect_timeout: float = 5.0,
    connections: int = 16,
    name: str = "sigma",
    tls: Mapping[str, str] = MappingProxyType({}),
    sentinels: Sentinels | None = None,
    replicas: int = 0,
) -> StoreClient:
    """A client of the server at ``url``; nothing is sent before its first use.

    redis-py would repeat a command whose reply is late, and so apply it twice:
    here nothing is repeated below the caller, who knows what may be. ``tls`` names
    files, in redis-py's words, for a ``rediss://``. ``sentinels`` name the server
    instead of the URL.

    Units: ``timeout`` and ``connect_timeout`` in seconds.
    """
    settings: dict[str, Any] = {
        "max_connections": connections,
        "timeout": timeout,
        "socket_timeout": timeout,
        "socket_connect_timeout": connect_timeout,
        "socket_read_size": 1 << 18,  # large replies: 10^6 cells are 40 MB
        "health_check_interval": 0,
        "decode_responses": False,
        "protocol": 2,
        "client_name": name,
        "driver_info": None,  # saves a CLIENT SETINFO that older servers do not know
        "retry": Retry(NoBackoff(), 0),
        "retry_on_error": [],
        **(tls if url.startswith("rediss:") else {}),
    }
    pool: BlockingConnectionPool
    if sentinels is None:
        pool = BlockingConnectionPool.from_url(url, **settings)
    else:
        pool = MasterPool(sentinels, url, settings)
    client = StoreClient(connection_pool=pool)
    client.auto_close_connection_pool = True  # it is nobody else's
    client.replicas = replicas
    return client


@contextmanager
def translated(*, but: type[RedisError] | None = None) -> Iterator[None]:
    """Driver errors become ours, without any value in the text.

    Errors of the kind ``but`` pass through, for a caller that reads them.

    Raises:
        StoreUnavailable: whether the act happened is unknown; the caller repeats
            it unchanged, every act being fenced or idempotent.
        StoreRefused, StoreForbids: user, password or rights are wrong; the operator
            mends them.
    """
    try:
        yield
    except (RedisError, OSError) as error:
        if but is not None and isinstance(error, but):
            raise
        raise _meant(error) from None


def _meant(error: Exception) -> SigmaError:
    if isinstance(error, AuthenticationError):
        return StoreRefused()
    if isinstance(error, NoPermissionError) or _IN_A_SCRIPT.search(str(error)):
        # The server's own text, but of it the user and the command alone.
        said = _MAY_NOT.search(str(error))
        return StoreForbids(*(said.groups() if said else ()))
    return StoreUnavailable(reason(error))


async def master_of(redis: Redis) -> tuple[str, int] | None:
    """Host and port of the server that sentinels name, or None: they are not asked.

    Raises:
        StoreUnavailable: none of them names one; the caller asks again.
    """
    pool = redis.connection_pool
    if not isinstance(pool, MasterPool):
        return None
    with translated():
        host, port = await pool.get_master_address()
    return str(host), int(port)


def text(reply: bytes | str | None) -> str:
    """A reply as text; redis-py's types allow both, our clients give bytes."""
    return reply.decode() if isinstance(reply, bytes) else str(reply or "")


def octets(reply: bytes | str | None) -> bytes | None:
    """A reply as bytes, or None where there is nothing."""
    return reply.encode() if isinstance(reply, str) else reply


def reason(error: Exception) -> str:
    """Why Redis did not do it, without any value in the text."""
    if isinstance(error.__context__, ssl.SSLError):
        why = getattr(error.__context__, "verify_message", error.__context__.reason)
        return (
            f"no trust between Redis and us over TLS ({why}); the act is safe to"
            " repeat. Mend SIGMA_REDIS_CA_FILE, SIGMA_REDIS_CERTIFICATE_FILE, or the"
            " name in SIGMA_REDIS_URL, which the server's certificate must bear."
        )
    if isinstance(error, MasterNotFoundError):
        return (
            "no sentinel names a master that is up; this attempt changed nothing, and"
            " the act is safe to repeat. A failover may be under way; else mend"
            " SIGMA_REDIS_SENTINELS, SIGMA_REDIS_SENTINEL_MASTER or their password."
        )
    if str(error).startswith("Error") and " connecting to " in str(error):
        # No word of the act was sent; an attempt before this one may have been.
        return (
            "Redis cannot be reached; this attempt changed nothing, and the act is safe"
            " to repeat. Start the server, or mend SIGMA_REDIS_URL."
        )
    # A server's text may quote arguments, so only its code word is let through.
    word = re.match(r"[A-Z]{3,}(?= )", str(error))
    code = f" ({word.group()})" if word else ""
    return (
        f"Redis did not do it: {type(error).__name__}{code}; whether it was applied is"
        " unknown. The act is safe to repeat."
    )
