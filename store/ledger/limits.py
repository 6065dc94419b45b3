"""Limits of a ledger, as the script that opens it is told them."""

from __future__ import annotations

from collections.abc import Mapping

from sigmacount.accounting import Purpose, SurchargeLimits
from sigmacount.mechanisms import Measure


def limits_in_words(
    caps: Mapping[Purpose, int],
    client_quota: int | None,
    measure: Measure,
    surcharges: SurchargeLimits,
) -> list[str | int]:
    """What ``ledger_open.lua`` wants to know behind the dataset's limit."""
    apart = surcharges if measure is not Measure.EPSILON else None
    words = [_or_none(client_quota), measure.value]
    words += [apart.limit, _or_none(apart.client_quota)] if apart else ["", ""]
    words += _capped("cap:", caps)
    return words + _capped("apart:cap:", apart.caps if apart else {})


def _or_none(limit: int | None) -> str | int:
    return "" if limit is None else limit


def _capped(prefix: str, caps: Mapping[Purpose, int]) -> list[str | int]:
    return [word for name, cap in caps.items() for word in (prefix + name, cap)]
