"""The batch consumer, as every benchmark uses it."""

from __future__ import annotations

from typing import Any

from streams.clients.batch_consumer import BatchConsumer, OnAssigned, OnRevoked
from workers.roles.parts import FETCH_WAIT_MS

SESSION_MS = 6_000  # the least that brokers allow, for a short wait at the start


def consumer(
    bootstrap: str,
    topic: str,
    group: str | None,
    assigned: OnAssigned,
    revoked: OnRevoked | None = None,
    *,
    max_records: int,
    **settings: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
) -> BatchConsumer:
    """A reader of one topic, which waits as long as the service's do."""
    return BatchConsumer(
        bootstrap,
        [topic],
        group,
        on_assigned=assigned,
        on_revoked=revoked,
        max_records=max_records,
        session_timeout_ms=SESSION_MS,
        **{"fetch_max_wait_ms": FETCH_WAIT_MS} | settings,
    )
