"""Live: the client's standing questions, and net changes that it asks for."""

from __future__ import annotations

from typing import Final

import msgspec
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from dashboard.pages.live import change_part, live_page
from streams.wire.messages.events import QueryAnswered
from workers.gateway.bodies import asked_in
from workers.gateway.web.sign_in import to
from workers.gateway.web.visits import Shown, Visit, WebSources, heard

HERE: Final = "/live"
PART: Final = "parts/live.html"
CHANGE: Final = "parts/change.html"


async def page(sources: WebSources, visit: Visit) -> Shown:
    """Its own questions alone."""
    known = sources.around.heard
    watched = known.standing.of(visit.client)
    return Shown("live.html", live_page(watched, sources.catalog, known.begun_ms), PART)


async def stream(sources: WebSources, visit: Visit) -> Response:
    """That an answer came, and to which question: the page then looks."""
    return heard(sources, visit, _came)


def _came(answer: QueryAnswered) -> ServerSentEvent:
    return ServerSentEvent(answer.name or "", event="answer")


async def end(sources: WebSources, visit: Visit) -> Shown | Response:
    """One of its own questions stands no more: the page without it."""
    seconds = sources.entrance.options.answer_seconds
    await sources.around.acts.end(visit.client, visit.first("name"), seconds)
    return await page(sources, visit) if visit.by_htmx else to(HERE)


async def change(sources: WebSources, visit: Visit) -> Shown:
    """The net change of a standing question's set, or of a condition; it is free."""
    of = visit.first("of").strip()
    watched = sources.around.heard.standing.one(visit.client, of)
    question = None if watched is None else watched.question
    fields = {
        "where": of if question is None else question.where,
        "confidence": None if question is None else question.confidence,
        "since": visit.first("since").strip() or "1 epoch",
        "max_cost": 0,
    }
    asked = asked_in(msgspec.json.encode(fields), visit.client, 1, price=False)
    seconds = sources.entrance.options.answer_seconds
    [answer] = await sources.questions.answers(asked.events, seconds)
    return Shown("change.html", change_part(of, answer), CHANGE)
