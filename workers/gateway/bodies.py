"""Bodies: what a client sends over HTTP, read as strictly as a message allows.

Who asks is no part of it: the name comes from the token alone. A field that is none of
a question's is refused, for a misspelt limit on the cost would be no limit.
"""

from __future__ import annotations

import uuid
from typing import Any, Final, TypeVar

import msgspec
import msgspec.structs

from sigmacount.errors import InvalidMessage
from streams.wire.codec import decode, encode
from streams.wire.message_limits import UNREADABLE, checked_size, explained
from streams.wire.messages.events import SINCE_VERSION, VERSION, Event, QueryAsked
from streams.wire.messages.standing import StandingQuestion, checked_key
from workers.gateway.refusals import invalid

Sent = TypeVar("Sent", bound=Event)
OURS: Final = frozenset(["request_id", "client", "v"])  # said by the gateway alone


def _default(field: msgspec.structs.FieldInfo) -> Any:  # noqa: ANN401 - of its type
    """The same default, or a way to make it."""
    if field.default_factory is msgspec.NODEFAULT:
        return field.default
    return msgspec.field(default_factory=field.default_factory)


def _said(name: str, kind: type[Event], ours: frozenset[str]) -> Any:  # noqa: ANN401
    """What a client may say of a message: all but what the gateway does."""
    fields = [f for f in msgspec.structs.fields(kind) if f.name not in ours]
    return msgspec.defstruct(
        name,
        [(field.name, field.type, _default(field)) for field in fields],
        kw_only=True,
        frozen=True,
        forbid_unknown_fields=True,
    )


QUESTION: Final = _said("HttpQuestion", QueryAsked, OURS)
STANDING: Final = _said("HttpStanding", StandingQuestion, OURS | {"name"})


class AskedInBody(msgspec.Struct, frozen=True):
    """The questions of one request, and whether they came as a list."""

    events: tuple[QueryAsked, ...]
    batch: bool


def asked_in(body: bytes, client: str, most: int, *, price: bool) -> AskedInBody:
    """One question, or those of ``{"questions": […]}``, as their messages.

    ``most`` is how many may come at once; ``price`` asks for their prices alone.

    Raises:
        RequestRefused: it is neither, or too many; nothing was asked.
    """
    said = _object(body)
    listed = said.get("questions")
    if "questions" not in said:
        return AskedInBody((_event(said, client, price=price),), batch=False)
    if len(said) > 1 or not isinstance(listed, list) or not 1 <= len(listed) <= most:
        msg = f"a batch is `questions` alone, a list of 1 to {most:,}"
        raise invalid(msg)
    events = tuple(_event(each, client, price=price) for each in listed)
    return AskedInBody(events, batch=True)


def standing_in(body: bytes, client: str, name: str) -> StandingQuestion:
    """The question of a body, as it stands under a name of its client.

    Raises:
        RequestRefused: it is none, or cannot stand under this name; nothing was sent.
    """
    own = {"client": client, "name": name}
    question = _message(StandingQuestion, STANDING, _object(body), own)
    try:
        checked_key(question, question.key.encode())
    except InvalidMessage as error:
        raise _wrong(error) from None
    return question


def _object(body: bytes) -> dict[str, Any]:
    try:
        checked_size(len(body), body)
        found = msgspec.json.decode(body, type=dict[str, Any])
    except InvalidMessage as error:
        raise _wrong(error) from None
    except UNREADABLE as error:
        raise _wrong(explained(error)) from None
    return found


def _event(said: object, client: str, *, price: bool) -> QueryAsked:
    """The message of one question, held to the bounds that Kafka's clients are."""
    own: dict[str, Any] = {"request_id": uuid.uuid4().hex, "client": client}
    if price:
        own |= {"price": True}
    return _message(QueryAsked, QUESTION, said, own)


def _message(
    kind: type[Sent],
    shape: Any,  # noqa: ANN401 - a struct that was made here
    said: object,
    own: dict[str, Any],
) -> Sent:
    if not isinstance(said, dict):
        msg = "a question is an object"
        raise invalid(msg)
    known = shape.__struct_fields__
    if not said.keys() <= {*known}:
        msg = f"a question has no other fields than {', '.join(sorted(known))}"
        raise invalid(msg)
    try:
        fields = msgspec.structs.asdict(msgspec.convert(said, shape)) | own
        version = VERSION if fields["since"] is None else SINCE_VERSION
        return decode(kind, encode(kind(v=version, **fields)))
    except InvalidMessage as error:
        raise _wrong(error) from None
    except UNREADABLE as error:
        raise _wrong(explained(error)) from None


def _wrong(error: InvalidMessage) -> Exception:
    msg = f"the question is wrong: {error}"
    return invalid(msg)
