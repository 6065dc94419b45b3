"""Health: the served epoch, and what the broker says of workers and questions."""

from __future__ import annotations

from dashboard.pages.health import ServiceSeen, health_page
from streams.wire.messages.catalog import Catalog
from workers.gateway.web.visits import Shown, Visit, WebSources


async def page(sources: WebSources, _: Visit) -> Shown:
    """The same for everybody; nothing of it is about rows."""
    around = sources.around
    head = await sources.released.head()
    said = await around.service.said()
    seen = ServiceSeen(
        0 if head is None else head.epoch,
        0 if head is None else head.as_of_ms,
        None if head is None else head.frozen,
        _tick(sources.catalog),
        said.workers,
        said.waiting,
        around.heard.begun_ms,
        len(sources.questions),
    )
    shown = health_page(seen, sources.ledger.now_ms())
    return Shown("health.html", shown, "parts/health.html")


def _tick(catalog: Catalog | None) -> float | None:
    """From one epoch to the next; None where the clock does not publish, or unknown."""
    promise = None if catalog is None else catalog.promise
    over_time = None if promise is None else promise.over_time
    return None if over_time is None else over_time.tick_seconds
