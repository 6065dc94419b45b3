"""Since: which epoch a change is asked since, by number, time, span or window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from sigmacount.errors import InvalidPredicate, SinceInFuture, SinceTooEarly

MILLIS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SPAN: Final = re.compile(r"(\d{1,9}) ?(s|m|h|d|epochs?)")
_NUMBER: Final = re.compile(r"\d{1,15}")
_WORDS: Final = (
    "since is the number of an epoch, a time like 2026-11-29T12:00:00Z, or how long"
    " ago: '90s', '15m', '1h', '7d' or '5 epochs'"
)


class Moment(NamedTuple):
    """An epoch that was served, and when its rows were looked at (ms since 1970)."""

    epoch: int
    as_of_ms: int

    @property
    def written(self) -> str:
        """Its time as people, and ``SinceWhen.of``, read it."""
        time = datetime.fromtimestamp(self.as_of_ms / 1_000, UTC)
        return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class SinceWhen:
    """What ``since`` of a question says.

    Attributes:
        kind: what ``amount`` is: the number of an epoch, a time (ms since 1970), or
            how far back from the epoch that is served: in ms, or in epochs.
    """

    kind: Literal["epoch", "time", "ago", "epochs"]
    amount: int

    @staticmethod
    def of(said: int | str) -> SinceWhen:
        """What a client wrote; a time without a zone is UTC.

        Raises:
            InvalidPredicate: it is none of these; the text lists them.
        """
        text = str(said).strip()
        if _NUMBER.fullmatch(text):
            return SinceWhen("epoch", int(text))
        if (span := _SPAN.fullmatch(text)) is not None:
            amount, unit = int(span[1]), span[2]
            if unit in MILLIS:
                return SinceWhen("ago", amount * MILLIS[unit])
            return SinceWhen("epochs", amount)
        return SinceWhen("time", _millis(text))

    def found(self, kept: Sequence[Moment]) -> Moment:
        """The newest epoch of these that is not after what is meant.

        ``kept`` are in order, and the last of them is the one that is served.

        Raises:
            SinceTooEarly: it is before them all.
            SinceInFuture: it is after the one that is served.
        """
        served, at = kept[-1], self._index(kept)
        if at < 0:
            raise SinceTooEarly(kept[0].epoch, kept[0].written)
        if self._later_than(served):
            raise SinceInFuture(served.epoch, served.written)
        return kept[at]

    def _index(self, kept: Sequence[Moment]) -> int:
        """Its place, or below 0: it is before all of them."""
        if self.kind == "epochs":
            return len(kept) - 1 - self.amount
        if self.kind == "epoch":
            return sum(each.epoch <= self.amount for each in kept) - 1
        time = self.amount if self.kind == "time" else kept[-1].as_of_ms - self.amount
        return sum(each.as_of_ms <= time for each in kept) - 1

    def _later_than(self, served: Moment) -> bool:
        if self.kind == "epoch":
            return self.amount > served.epoch
        return self.kind == "time" and self.amount > served.as_of_ms


def _millis(text: str) -> int:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidPredicate(_WORDS) from None
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1_000)
