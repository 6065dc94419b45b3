"""Dates, instants and times of day, by the names of their schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache, partial
from typing import Any, Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_DAY: Final = EPOCH.toordinal()
DAY_MICROS: Final = 86_400 * 1_000_000
_DEBEZIUM, _CONNECT = "io.debezium.time.", "org.apache.kafka.connect.data."


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day without a date: µs since midnight."""

    micros: int

    def isoformat(self) -> str:
        """As people write it, ``08:30:00``; raises where it is beyond midnight."""
        if not 0 <= self.micros < DAY_MICROS:
            raise OverflowError
        return (EPOCH + timedelta(microseconds=self.micros)).time().isoformat()


@lru_cache(maxsize=4096, typed=True)
def day(days: int) -> date:
    """The date so many days after 1970-01-01; raises beyond the calendar's years."""
    try:
        return date.fromordinal(FIRST_DAY + _whole(days))
    except ValueError:
        raise OverflowError from None


def instant(count: int, per_micro: int = 1, micros: int = 1) -> datetime:
    """So many times ``micros`` / ``per_micro`` after 1970, UTC."""
    return EPOCH + timedelta(microseconds=_whole(count) * micros // per_micro)


def time_of_day(count: int, per_micro: int = 1, micros: int = 1) -> TimeOfDay:
    """The same after midnight."""
    return TimeOfDay(_whole(count) * micros // per_micro)


def from_text(text: object) -> date:
    """A date or an instant in ISO 8601; Debezium puts a Z behind dates, too."""
    if not isinstance(text, str):
        msg = "a time is text"
        raise TypeError(msg)
    try:
        return date.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def time_from_text(text: str) -> TimeOfDay:
    """A time of day in ISO 8601, in UTC."""
    read = time.fromisoformat(text)
    since = timedelta(
        hours=read.hour,
        minutes=read.minute,
        seconds=read.second,
        microseconds=read.microsecond,
    ) - (read.utcoffset() or timedelta())
    return TimeOfDay(since // timedelta(microseconds=1) % DAY_MICROS)


def _whole(count: int) -> int:
    if type(count) is not int:
        msg = "a time is a whole number"
        raise TypeError(msg)
    return count


READERS: Final[Mapping[str, Callable[[Any], object]]] = {
    _DEBEZIUM + "Date": day,
    _CONNECT + "Date": day,
    _DEBEZIUM + "IsoDate": from_text,
    _DEBEZIUM + "Timestamp": partial(instant, micros=1_000),
    _CONNECT + "Timestamp": partial(instant, micros=1_000),
    _DEBEZIUM + "MicroTimestamp": instant,
    _DEBEZIUM + "NanoTimestamp": partial(instant, per_micro=1_000),
    _DEBEZIUM + "ZonedTimestamp": from_text,
    _DEBEZIUM + "IsoTimestamp": from_text,
    _DEBEZIUM + "Time": partial(time_of_day, micros=1_000),
    _CONNECT + "Time": partial(time_of_day, micros=1_000),
    _DEBEZIUM + "MicroTime": time_of_day,
    _DEBEZIUM + "NanoTime": partial(time_of_day, per_micro=1_000),
    _DEBEZIUM + "ZonedTime": time_from_text,
    _DEBEZIUM + "IsoTime": time_from_text,
}
