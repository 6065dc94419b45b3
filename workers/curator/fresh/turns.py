"""Turns: the answers of a batch, as if its requests had come one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from streams.wire.events import FreshCountAsked, QueryAnswered
from workers.answering.answers import as_memo
from workers.curator.fresh.requests import FreshRequest

Asker = tuple[str, str]  # canonical key of a question, client
PAID = ("fresh", "memo")  # routes whose answer is a memo for everybody after


def one_after_the_other(
    asked: Sequence[FreshCountAsked],
    wanted: Sequence[FreshRequest | QueryAnswered],
    known: dict[str, QueryAnswered],
    refused: Mapping[Asker, QueryAnswered],
) -> list[QueryAnswered]:
    """The answers as if the requests had come one after the other.

    Who was refused hears so unless another has paid by then: it is a memo from there.
    """
    answers: list[QueryAnswered] = []
    shown: set[str] = set()
    for each, request in zip(asked, wanted, strict=True):
        answer = (
            request
            if isinstance(request, QueryAnswered)
            else _next(request, known, refused, shown)
        )
        answers.append(
            msgspec.structs.replace(
                answer, request_id=each.request_id, client=each.client
            )
        )
    return answers


def _next(
    request: FreshRequest,
    known: dict[str, QueryAnswered],
    refused: Mapping[Asker, QueryAnswered],
    shown: set[str],
) -> QueryAnswered:
    key = request.query.key
    if key not in shown and (key, request.client) in refused:
        return refused[key, request.client]
    shown.add(key)
    answer = known[key]
    if answer.route in PAID:
        known[key] = as_memo(answer)
    return answer
