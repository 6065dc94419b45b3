"""One way to reach Redis: bounded pool, explicit timeouts, no hidden retries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from sigmacount.errors import StoreUnavailable


def connect(
    url: str,
    *,
    timeout: float = 10.0,
    connect_timeout: float = 5.0,
    connections: int = 16,
    name: str = "sigma",
) -> Redis:
    """A client of the server at ``url``; nothing is sent before its first use.

    redis-py would repeat a command whose reply is late, and so apply it twice:
    here nothing is repeated below the caller, who knows what may be.

    Units: ``timeout`` and ``connect_timeout`` in seconds.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=timeout,
        socket_timeout=timeout,
        socket_connect_timeout=connect_timeout,
        socket_read_size=1 << 18,  # large replies: 10^6 cells are 40 MB
        health_check_interval=0,
        decode_responses=False,
        protocol=2,
        client_name=name,
        retry=Retry(NoBackoff(), 0),
        retry_on_error=[],
    )
    return Redis.from_pool(pool)


@contextmanager
def translated() -> Iterator[None]:
    """Driver errors become StoreUnavailable, without any value in the text.

    Raises:
        StoreUnavailable: whether the act happened is unknown; the caller repeats
            it unchanged, every act being fenced or idempotent.
    """
    try:
        yield
    except (RedisError, OSError) as error:
        raise StoreUnavailable(_reason(error)) from None


def _reason(error: Exception) -> str:
    # A server's text may quote arguments, so only its code word is let through.
    word = re.match(r"[A-Z]{3,}(?= )", str(error))
    code = f" ({word.group()})" if word else ""
    return (
        f"Redis did not do it: {type(error).__name__}{code}; whether it was applied is"
        " unknown. The act is safe to repeat."
    )
