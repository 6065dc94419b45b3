"""Visits: what a page is asked for, by whom, and what it is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Final, TypeAlias
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from store.ledger.ledger import RedisLedger
from store.releases.released import Released
from streams.wire.messages.catalog import Catalog
from workers.gateway.entrance import Entrance
from workers.gateway.refusals import NO_SCHEMA, away, invalid
from workers.gateway.results import (
    AnswerListeners,
    QuestionsInFlight,
    Tell,
    answer_stream,
)
from workers.gateway.web.surroundings import WebSurroundings

MOST_FIELDS: Final = 10_000  # of a form; a page has one for each level that is shown
UNREADABLE_FORM: Final = "the form cannot be read"


class WebSources:
    """What pages are made of: released data, the catalog, and answers.

    Attributes:
        catalog: None before the first curator has published it.
    """

    def __init__(
        self,
        entrance: Entrance,
        questions: QuestionsInFlight,
        listeners: AnswerListeners,
        released: Released,
        ledger: RedisLedger,
        around: WebSurroundings,
    ) -> None:
        self.entrance = entrance
        self.questions, self.listeners = questions, listeners
        self.released, self.ledger, self.around = released, ledger, around
        self.catalog: Catalog | None = None

    def known_catalog(self) -> Catalog:
        """What may be asked.

        Raises:
            RequestRefused: nobody has published it yet.
        """
        if self.catalog is None:
            raise away(NO_SCHEMA)
        return self.catalog


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of who is signed in.

    Attributes:
        fields: of the form, or of the address; a name may have several values.
        by_htmx: a part of the page is wanted, not all of it.
        again: of a stream, it was here before, and missed something perhaps.
    """

    client: str
    token: str = field(repr=False)
    path: str
    fields: Mapping[str, tuple[str, ...]]
    by_htmx: bool
    again: bool

    def first(self, name: str) -> str:
        """The first value of a field; empty where there is none."""
        return self.fields.get(name, ("",))[0]


@dataclass(frozen=True, slots=True)
class Shown:
    """What answers a visit: a page's values, and the templates that show them.

    Attributes:
        part: shows the same where htmx asks for a part; None: there is none.
    """

    template: str
    page: object
    part: str | None = None
    status: HTTPStatus = HTTPStatus.OK


Show: TypeAlias = Callable[[WebSources, Visit], Awaitable[Shown | Response]]


def heard(sources: WebSources, visit: Visit, tell: Tell) -> Response:
    """A stream of this client's answers as they come, each as ``tell`` has it.

    Raises:
        RequestRefused: too many listen already.
    """
    return answer_stream(
        sources.listeners.listen(visit.client),
        partial(sources.entrance.knows, visit.token, visit.client),
        tell,
        again=visit.again,
    )


def fields_of(text: str) -> dict[str, tuple[str, ...]]:
    """The fields of a form or of an address.

    Raises:
        RequestRefused: it is neither, or has too many.
    """
    found: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise invalid(UNREADABLE_FORM) from None
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in found.items()}


def by_htmx(request: Request) -> bool:
    """Whether htmx asks, which puts the reply into the page."""
    return request.headers.get("hx-request") == "true"
