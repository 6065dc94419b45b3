"""Memos: what an epoch has answered, as it is kept for whoever asks the same again."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from streams.wire.messages.events import Event, Name, QueryAnswered, Whole
from streams.wire.messages.privacy import Guarantee, Spent
from streams.wire.messages.tables import MOST_ROWS

Tick = Annotated[int, Meta(ge=1, le=2**26)]


class Memo(QueryAnswered, frozen=True, kw_only=True, omit_defaults=True):
    """An answer as it is kept while its epoch is served; readers see the answer.

    Attributes:
        query: canonical form of what was asked, ``Query.to_wire()``.
        noisy: the sum with its one draw of noise, before it was moved into order.
        noise: what that draw costs; None with ``noisy`` in memos of older versions.
        tick: how often noise of that price was added to by then, under a rule that
            charges once and adds to it; None: it is one draw.
    """

    query: dict[str, Any]
    noisy: Whole | None = None
    noise: Spent | None = None
    tick: Tick | None = None


class TableMemo(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The noisy rows of a table as they are kept while its epoch is served.

    Attributes:
        unit: whose noise it is.
        noise: what it costs, all of it together.
        tick: as of a ``Memo``.
        noisy: by cell of the table, each with its one draw of noise.
        counts: the same, moved into the one order of the epoch.
        guarantee: of that noise.
    """

    unit: Name
    noise: Spent
    noisy: Annotated[tuple[Whole, ...], Meta(max_length=MOST_ROWS)]
    counts: Annotated[tuple[Whole, ...], Meta(max_length=MOST_ROWS)]
    guarantee: Guarantee
    tick: Tick | None = None
