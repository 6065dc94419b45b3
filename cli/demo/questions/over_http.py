"""One question over HTTP, beside the answer that Kafka gave to the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from cli.demo.questions.known_answers import Known
from embedded.local_gateway import LocalGateway


@dataclass(frozen=True, slots=True)
class AskedOverHttp:
    """What the gateway replied, to a question that is free.

    Attributes:
        page: where it was asked.
        known: the same question over Kafka.
        status: of HTTP.
        said: the answer, as any client of the gateway gets it.
    """

    page: str
    known: Known
    status: int
    said: dict[str, Any]

    @property
    def agrees(self) -> bool:
        """It was answered, and in one epoch both answers are the same number."""
        one_epoch = self.said.get("epoch") == self.known.answer.epoch
        same = self.said.get("count") == self.known.answer.count
        return self.status == HTTPStatus.OK and (same or not one_epoch)


def asked_over_http(
    gateway: LocalGateway, known: Sequence[Known]
) -> AskedOverHttp | None:
    """The largest that the plan holds, once more; None where there is none."""
    free = [each for each in known if each.answer.route == "algebra"]
    if not free:
        return None
    largest = max(free, key=lambda each: each.truth)
    status, said = gateway.asked({"where": largest.where, "max_cost": 0})
    return AskedOverHttp(f"{gateway.url}v1/ask", largest, status, said)
