"""Promise: what the catalog says is promised."""

from __future__ import annotations

from dashboard.pages.promise import promise_page
from workers.gateway.web.visits import Shown, Visit, WebSources


async def page(sources: WebSources, _: Visit) -> Shown:
    """The same for everybody."""
    return Shown("promise.html", promise_page(sources.catalog))
