"""What a request is refused with: a status, a stable code, and words that help."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from streams.wire.messages.events import Trouble

HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class RequestRefused(Exception):
    """A request goes no further; nothing of it was asked.

    Attributes:
        status: of HTTP.
        code: a stable word for programs.
        message: why, and what to do.
        headers: beside those of all replies.
    """

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: str,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message
        self.headers = headers or {}

    def reply(self) -> Response:
        """The same as a reply, in the form that answers have for it."""
        trouble = Trouble(code=self.code, message=self.message)
        return json_reply({"error": trouble}, self.status, self.headers)


def json_reply(
    value: Any,  # noqa: ANN401 - whatever msgspec encodes
    status: int = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
) -> Response:
    """``value`` as JSON that nobody keeps."""
    return Response(
        msgspec.json.encode(value),
        status,
        HEADERS | (headers or {}),
        "application/json",
    )


def unauthorised() -> RequestRefused:
    """No token, or none of ours: both sound the same."""
    return RequestRefused(
        HTTPStatus.UNAUTHORIZED,
        "unauthorised",
        "the request carries no token that is known here. Send `Authorization: Bearer"
        " TOKEN`; the operator makes one with `sigma token new NAME`.",
        {"www-authenticate": "Bearer"},
    )


def too_many(seconds: float) -> RequestRefused:
    """The client's own rate."""
    after = max(1, math.ceil(seconds))
    return RequestRefused(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too_many_requests",
        f"this client asks more than its rate; nothing was asked. Wait {after} s.",
        {"retry-after": str(after)},
    )


def busy() -> RequestRefused:
    """All places are taken, by whoever."""
    return RequestRefused(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "busy",
        "the gateway holds as many open questions as it may; nothing was asked. Wait a"
        " second and ask again.",
        {"retry-after": "1"},
    )


def too_many_standing(most: int) -> RequestRefused:
    """More than one client may have standing by way of a gateway."""
    return RequestRefused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "too_many_standing",
        f"{most} questions of this client stand already; none was added. End one.",
    )


def not_granted() -> RequestRefused:
    """The gateway may not write the topic `standing`."""
    return RequestRefused(
        HTTPStatus.FORBIDDEN,
        "standing_not_granted",
        "this gateway may not write the topic `standing`, so nothing stands or ends by"
        " it; its operator grants that.",
    )


def unconfirmed() -> RequestRefused:
    """The broker did not say in time that it has a record."""
    return RequestRefused(
        HTTPStatus.GATEWAY_TIMEOUT,
        "no_answer",
        "the broker did not say in time that it has it; sending it again is safe.",
    )


def too_large(most: int) -> RequestRefused:
    """A body beyond the bound."""
    return RequestRefused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "request_too_large",
        f"the body is longer than {most:,} bytes; nothing was asked. Send fewer"
        " questions at once.",
    )


def invalid(message: str) -> RequestRefused:
    """A body that is no question."""
    words = f"{message.rstrip('.')}; nothing was asked."
    return RequestRefused(HTTPStatus.BAD_REQUEST, "invalid_request", words)


NO_SCHEMA, NO_EPOCH, NO_LEDGER = "no_schema", "no_epoch", "no_ledger"
NOT_YET = {
    NO_SCHEMA: "no catalog was published yet; a curator does when it leads.",
    NO_EPOCH: "no epoch was released yet; wait for the first.",
    NO_LEDGER: "the ledger is not open yet; a curator opens it at its first start.",
}
AWAY = "a server behind the gateway does not answer; asking again is safe."


def away(code: str) -> RequestRefused:
    """What the gateway itself needs is not there, by its code."""
    message = NOT_YET.get(code, AWAY)
    return RequestRefused(
        HTTPStatus.SERVICE_UNAVAILABLE, code, message, {"retry-after": "1"}
    )


def failed() -> RequestRefused:
    """A fault of ours, which the log tells."""
    return RequestRefused(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal",
        "the gateway failed; a question that was sent may be answered, unheard. Ask the"
        " operator to look at its log.",
    )
