"""Ask: what may be asked, the price of a question, and its answer."""

from __future__ import annotations

from dashboard.pages.ask import ask_page
from workers.gateway.web.visits import Shown, Visit, WebSources


async def page(sources: WebSources, _: Visit) -> Shown:
    """The attributes and their levels."""
    return Shown("ask.html", ask_page(sources.known_catalog()))
