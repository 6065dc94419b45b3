"""The headers of an answer: what it echoes, and itself as a CloudEvent."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final
from urllib.parse import quote

import msgspec

from streams.wire.cloudevents import PREFIX, headers, moment, plain
from streams.wire.messages.events import QueryAnswered
from streams.wire.records import Headers
from workers.answering.asking.reply_address import CORRELATION, ReplyAddress
from workers.answering.asking.reply_headers import trace_headers

TYPE: Final = "sigma-counting.query.answered"
ID_BYTES: Final = 16  # as many as a UUID has
ID: Final = f"{PREFIX}id"
SUBJECT: Final = f"{PREFIX}subject"
MOVED: Final = "sigma.reply"  # why an answer is not where it was asked for
_encode: Final = msgspec.json.Encoder().encode


def source_of(dataset: str) -> str:
    """The URI reference of what speaks: the service that counts a dataset."""
    return f"/sigma-counting/{quote(dataset, safe='')}"


def answer_headers(
    source: str,
    to: ReplyAddress,
    answer: QueryAnswered,
    asked_ms: int,
    moved: str | None,
) -> Headers:
    """What stands beside an answer; the same whenever the same answer is sent again.

    Its time is that of the epoch's snapshot, and of the question where no epoch
    answered it.
    """
    then = asked_ms if answer.as_of_ms is None else answer.as_of_ms
    version, *about, form = _alike(source, then)
    found = trace_headers(to.reply)
    if to.correlation is not None:
        found.insert(0, (CORRELATION, to.correlation))
    found += [version, (ID, _id(to, answer)), *about]
    if (subject := plain(to.request_id)) is not None:
        found.append((SUBJECT, subject.encode()))
    found.append(form)
    if moved is not None:
        found.append((MOVED, moved.encode()))
    return found


@lru_cache(maxsize=1_024)
def _alike(source: str, then: int) -> tuple[tuple[str, bytes], ...]:
    """What all answers of one moment have in common, made once."""
    return tuple(headers(source=source, type=TYPE, time=moment(then)))


def _id(to: ReplyAddress, answer: QueryAnswered) -> bytes:
    """Of the request, and of the epoch that answers it: who reads both reads one."""
    named = to.client, to.request_id, to.correlation, to.name
    text = _encode((*named, answer.status, answer.epoch))
    return hashlib.sha256(text).hexdigest()[: 2 * ID_BYTES].encode()
