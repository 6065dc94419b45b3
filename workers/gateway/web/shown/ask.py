"""Ask: what may be asked, the price of a question, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dashboard.asking import asked_on_page
from dashboard.pages.answered import AnswerPage, QuotePage, answer_page, quote_page
from dashboard.pages.ask import ask_page, kept_page
from dashboard.pages.sign_in import RefusedPage
from streams.wire.message_limits import UNREADABLE
from streams.wire.messages.catalog import Catalog
from streams.wire.messages.events import QueryAnswered
from workers.gateway.bodies import asked_in, standing_in
from workers.gateway.refusals import invalid
from workers.gateway.web.visits import Shown, Visit, WebSources

PARTS = {
    AnswerPage: "parts/answer.html",
    QuotePage: "parts/quote.html",
    RefusedPage: "parts/refused.html",
}
MOST_DIGITS = 11
NO_EVERY = "how often is a whole number of epochs"
NO_QUESTION = "the form holds no question: press its button again"


async def page(sources: WebSources, visit: Visit) -> Shown:
    """The attributes and their levels."""
    return Shown("ask.html", ask_page(sources.known_catalog(), visit.fields))


async def price(sources: WebSources, visit: Visit) -> Shown:
    """What would be asked, and what it costs; nothing is drawn or charged."""
    catalog = sources.known_catalog()
    body = asked_on_page(catalog, visit.fields).body()
    answer = await _answered(sources, visit, body, price=True)
    return _shown(catalog, visit, quote_page(catalog.dataset, body, answer))


async def answer(sources: WebSources, visit: Visit) -> Shown:
    """The answer to what a price was shown for, at that price or less."""
    catalog, body = sources.known_catalog(), _body(visit.first("question"))
    found = await _answered(sources, visit, body, price=False)
    shown = answer_page(catalog.dataset, visit.client, body, found)
    return _shown(catalog, visit, shown)


async def keep(sources: WebSources, visit: Visit) -> Shown:
    """The question of an answer stands from here on, and costs nothing."""
    body = _body(visit.first("question")) | {"every": _every(visit.first("every"))}
    name = visit.first("name").strip()
    question = standing_in(msgspec.json.encode(body), visit.client, name)
    seconds = sources.entrance.options.answer_seconds
    await sources.around.acts.stand(question, seconds)
    return Shown("kept.html", kept_page(question), "parts/kept.html")


def _every(text: str) -> int:
    if not (text.isdecimal() and len(text) < MOST_DIGITS):
        raise invalid(NO_EVERY)
    return int(text)


async def _answered(
    sources: WebSources, visit: Visit, body: Mapping[str, Any], *, price: bool
) -> QueryAnswered:
    asked = asked_in(msgspec.json.encode(body), visit.client, 1, price=price)
    seconds = sources.entrance.options.answer_seconds
    return (await sources.questions.answers(asked.events, seconds))[0]


def _body(text: str) -> dict[str, Any]:
    """The fields of a question that a page holds; what they mean is looked at later."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except UNREADABLE:
        raise invalid(NO_QUESTION) from None


def _shown(
    catalog: Catalog, visit: Visit, page: AnswerPage | QuotePage | RefusedPage
) -> Shown:
    """A part of the page for htmx; for a browser without scripts, all of it."""
    template = PARTS[type(page)]
    if visit.by_htmx:
        return Shown("ask.html", page, part=template)
    whole = ask_page(catalog, visit.fields, (template, page))
    return Shown("ask.html", whole)
