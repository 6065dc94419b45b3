"""Answers as they are sent: a count with its error, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from sigmacount.accounting import guarantee_of_nothing
from sigmacount.errors import Mismatch, SigmaError, StandingNeedsNoise
from sigmacount.mechanisms import Amount, Measure
from sigmacount.release import Estimate, nothing
from store.releases.released import Head
from streams.wire.messages.events import (
    FreshCountAsked,
    QueryAnswered,
    RouteName,
    Trouble,
)
from streams.wire.messages.privacy import Guarantee, Spent


def answered(
    said: Estimate,
    head: Head,
    route: RouteName,
    guarantee: Guarantee | None,
    *,
    group: str | None = None,
    spent: Amount | None = None,
) -> QueryAnswered:
    """What an estimate from the epoch of ``head`` says, addressed to nobody yet.

    ``spent`` is what was added to the ledger for this very answer.
    """
    cost = None
    if spent is not None and spent.units:
        cost = Spent(measure=spent.measure.value, units=spent.units)
    return QueryAnswered(
        request_id="",
        client="",
        status="ok",
        count=said.count,
        stderr=said.stderr,
        interval=said.interval,
        confidence=said.confidence,
        route=route,
        atoms=said.atoms,
        group=group,
        plan=int(head.plan.get("version", 0)),
        epoch=head.epoch,
        as_of_ms=head.as_of_ms,
        frozen=head.frozen is not None,
        spent=cost,
        spent_micro_epsilon=cost.units if cost and cost.measure == "epsilon" else 0,
        guarantee=guarantee,
    )


def promised(said: Mapping[str, Any]) -> Guarantee:
    """The guarantee that an epoch was published with, by this or an older version.

    Raises:
        Mismatch: a newer version promised it; the operator starts that one here too.
    """
    try:
        guarantee: Guarantee = msgspec.convert(said, Guarantee)
    except msgspec.ValidationError:
        msg = (
            "the epoch that is served was published by another version of the curator,"
            " under a rule that this one does not know; nothing is answered from it."
            " Start the same version of every worker."
        )
        raise Mismatch(msg) from None
    return guarantee


def of_nothing(head: Head) -> Guarantee | None:
    """What is promised of a count that no row is in."""
    rule = head.about.get("rule")  # an epoch of an older version does not name it
    if rule is None:
        return None
    return promised(guarantee_of_nothing(rule, head.about.get("delta")))


def counted_nothing(head: Head, confidence: float) -> QueryAnswered:
    """The answer to the empty set: 0, exactly, the sum of no atoms, for nothing."""
    return answered(nothing(confidence), head, "algebra", of_nothing(head))


def as_memo(answer: QueryAnswered) -> QueryAnswered:
    """The same answer given once more: nothing is spent by asking again."""
    replace = msgspec.structs.replace
    return replace(answer, route="memo", spent=None, spent_micro_epsilon=0)


def failed(status: Literal["refused", "invalid"], error: SigmaError) -> QueryAnswered:
    """What a client gets instead of a count."""
    return _without_count(status, error.code, str(error))


def to_standing(answer: QueryAnswered, asked: FreshCountAsked) -> QueryAnswered:
    """The answer to one turn of a standing question, or to any other as it is.

    One that nobody pays for is refused for its price, in words that say how to pay.
    """
    quote, unpaid = answer.quote, not asked.terms.max_cost
    if asked.name is None or quote is None or answer.status != "refused" or not unpaid:
        return answer
    why = StandingNeedsNoise(Amount(Measure(quote.measure), quote.cost).in_both)
    trouble = Trouble(code=why.code, message=str(why))
    return msgspec.structs.replace(answer, error=trouble)


def expired(ttl_seconds: float, clock: str) -> QueryAnswered:
    """The answer to a question that waited too long, by which clock."""
    message = (
        f"the question waited longer than {ttl_seconds:.0f} s by {clock}, so its answer"
        " would surprise you; nothing was spent. Ask again; if it did not wait at all,"
        " a clock is wrong."
    )
    return _without_count("expired", "expired", message)


def _without_count(
    status: Literal["refused", "invalid", "expired"], code: str, message: str
) -> QueryAnswered:
    error = Trouble(code=code, message=message)
    return QueryAnswered(request_id="", client="", status=status, error=error)
