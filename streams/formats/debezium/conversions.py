"""Conversions: one value of a change event → one that an attribute's kind takes.

With a schema, its name says how the value is encoded. Without one, only what can mean a
single thing is taken; the rest is refused with words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from sigmacount.errors import InvalidRow
from streams.formats.debezium import numbers, times
from streams.formats.debezium.times import TimeOfDay
from streams.formats.encodings.encoding import ConnectSchema
from streams.formats.refusals.reasons import FormReason

# What a conversion raises for a value of another type than its schema says.
WRONG: Final = (TypeError, ValueError, KeyError, InvalidOperation)
Convert = Callable[[Any], object]
MICROS: Final = 1_000_000
LONGEST: Final = 40  # digits of a whole number: no bin is as far
_INTEGERS: Final = ("int8", "int16", "int32", "int64")
# What an attribute's kind takes of these types is what a native row has.
_AS_THEY_ARE: Final[Mapping[str, tuple[str, ...]]] = {
    "categorical": ("string",),
    "boolean": ("boolean",),
    "integer": _INTEGERS,
    "number": (*_INTEGERS, "float", "double"),
}
_INSTANTS: Final = (date, TimeOfDay)  # a datetime is a date


def conversion(kind: str, schema: ConnectSchema | None) -> Convert | None:
    """How a column of an attribute of this kind is converted, unless it is as it is."""
    fit = _FITS[kind]
    if schema is None:
        bare = _BARE.get(kind, _scaled)
        return lambda value: fit(bare(value))
    read = _reader(schema)
    if read is None:
        return None if schema.type in _AS_THEY_ARE.get(kind, ()) else fit
    return lambda value: fit(read(value))


def _reader(schema: ConnectSchema) -> Convert | None:
    """What a value means by its schema, or None where it means what it is."""
    name = schema.name or ""
    if name in times.READERS:
        return times.READERS[name]
    if name in numbers.READERS:
        return numbers.READERS[name](schema.parameters or {})
    return None


def _scaled(value: Any) -> object:  # noqa: ANN401
    """A number that says its own scale is one without a schema, too."""
    if type(value) is dict and value.keys() == {"scale", "value"}:
        return numbers.scaled(value)
    return value


def _bare_number(value: Any) -> object:  # noqa: ANN401
    """Text may be digits, or the bytes of a decimal in base64 that look like digits."""
    if isinstance(value, str):
        raise InvalidRow(FormReason.UNKNOWN_ENCODING)
    return _scaled(value)


def _bare_day(value: Any) -> object:  # noqa: ANN401
    """Both ways in which connectors send a date as a number are days since 1970."""
    return times.day(value) if type(value) is int else times.from_text(value)


def _bare_instant(value: Any) -> object:  # noqa: ANN401
    """Milli-, micro- or nanoseconds: a number does not say."""
    if not isinstance(value, str):
        raise InvalidRow(FormReason.UNKNOWN_ENCODING)
    return times.from_text(value)


_BARE: Final[Mapping[str, Convert]] = {
    "integer": _bare_number,
    "number": _bare_number,
    "date": _bare_day,
    "datetime": _bare_instant,
}


def _label(value: Any) -> object:  # noqa: ANN401
    """A category's level is text: that of the value as people write it."""
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat() + "Z"
    if isinstance(value, _INSTANTS):
        return value.isoformat()
    written = str if type(value) is int else _written
    return written(value)


def _written(value: Any) -> object:  # noqa: ANN401
    return format(value, "f") if isinstance(value, Decimal) else value


def _whole(value: Any) -> object:  # noqa: ANN401
    if isinstance(value, TimeOfDay):
        return value.micros // MICROS
    if isinstance(value, str):
        value = Decimal(value)
    if not isinstance(value, Decimal):
        return value
    if value.adjusted() > LONGEST:
        raise OverflowError
    if value != value.to_integral_value():
        msg = "not a whole number"
        raise TypeError(msg)
    return int(value)


def _real(value: Any) -> object:  # noqa: ANN401
    if isinstance(value, TimeOfDay):
        return value.micros / MICROS
    return float(value) if isinstance(value, str | Decimal) else value


def _flag(value: Any) -> object:  # noqa: ANN401
    return _whole(value) if isinstance(value, Decimal) else value


def _day(value: Any) -> object:  # noqa: ANN401
    """The day, of an instant that in UTC; as text, which is placed quickest."""
    if isinstance(value, str):
        value = times.from_text(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).date().isoformat()
    return value.isoformat() if isinstance(value, date) else value


def _instant(value: Any) -> object:  # noqa: ANN401
    return times.from_text(value) if isinstance(value, str) else value


_FITS: Final[Mapping[str, Convert]] = {
    "categorical": _label,
    "boolean": _flag,
    "integer": _whole,
    "number": _real,
    "date": _day,
    "datetime": _instant,
}
