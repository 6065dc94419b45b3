"""Decimals and bits, by the names of their schemas."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

Parameters = Mapping[str, str]
WIDEST: Final = 512  # bytes of a number; no database keeps a wider one
STEEPEST: Final = 100_000  # of a scale, the same


def _bytes(value: str | bytes) -> bytes:
    """Bytes, or base64 where the encoding has no bytes."""
    raw = value if isinstance(value, bytes) else base64.b64decode(value, validate=True)
    if len(raw) > WIDEST:
        msg = "as wide as no number"
        raise ValueError(msg)
    return raw


def decimal(scale: int, value: str | bytes) -> Decimal:
    """A decimal: its digits as a signed big-endian number, and how many are behind."""
    if abs(scale) > STEEPEST:
        msg = "a scale of no number"
        raise ValueError(msg)
    raw = _bytes(value)
    if not raw:
        msg = "a number has at least one byte"
        raise ValueError(msg)
    return Decimal(f"{int.from_bytes(raw, 'big', signed=True)}E{-scale}")


def scaled(value: dict[str, Any]) -> Decimal:
    """A decimal that says its own scale."""
    return decimal(int(value["scale"]), value["value"])


def bits(value: str | bytes) -> int:
    """Bits, the first ones in the first byte; none where all are zero."""
    return int.from_bytes(_bytes(value), "little")


def _decimal_reader(parameters: Parameters) -> Callable[[Any], object]:
    return lambda value: decimal(int(parameters["scale"]), value)


READERS: Final[Mapping[str, Callable[[Parameters], Callable[[Any], object]]]] = {
    "org.apache.kafka.connect.data.Decimal": _decimal_reader,
    "io.debezium.data.VariableScaleDecimal": lambda _: scaled,
    "io.debezium.data.Bits": lambda _: bits,
}
