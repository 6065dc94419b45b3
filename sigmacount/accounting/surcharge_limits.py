"""Surcharge limits: what a ledger of ρ grants for showing noise again, in ε."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from sigmacount.accounting.charges import Purpose
from sigmacount.mechanisms import MOST_UNITS


@dataclass(frozen=True, slots=True)
class SurchargeLimits:
    """The limits of a ledger's second purse: surcharges, which Theorem 5 prices in ε.

    Only a ledger of ρ has one: noise is drawn for ρ, and what it costs to show it again
    is known in ε alone. All is promised as (ε(ρ), δ) and this limit beside it.

    Units: µε.

    Attributes:
        limit: of the dataset; 0: nothing is shown again over changed rows.
        caps: at most this much for a purpose; no entry, no cap.
        client_quota: at most this much for each client, or None.

    Raises:
        ValueError: a limit outside [0, 2^53); the operator mends it.
    """

    limit: int = 0
    caps: Mapping[Purpose, int] = field(default_factory=dict)
    client_quota: int | None = None

    def __post_init__(self) -> None:
        caps = caps_of_purse(self.limit, self.caps, self.client_quota)
        object.__setattr__(self, "caps", caps)

    @staticmethod
    def in_step(
        limit: int,
        whole: int,
        caps: Mapping[Purpose, int],
        client_quota: int | None,
    ) -> SurchargeLimits:
        """A purse of ``limit`` µε, shared out as the ledger's own is.

        ``caps`` and ``client_quota`` are parts of ``whole``, in the ledger's units:
        each is the same part of ``limit`` here, rounded down.
        """

        def part(of_whole: int) -> int:
            return limit * min(of_whole, whole) // max(whole, 1)

        quota = None if client_quota is None else part(client_quota)
        return SurchargeLimits(limit, {p: part(c) for p, c in caps.items()}, quota)


def caps_of_purse(
    limit: int, caps: Mapping[Purpose, int], client_quota: int | None
) -> Mapping[Purpose, int]:
    """The caps of a purse, which nobody changes, once all its limits can be kept.

    Raises:
        ValueError: a limit outside [0, 2^53); the operator mends it.
    """
    quota = 0 if client_quota is None else client_quota
    if not all(0 <= each <= MOST_UNITS for each in (limit, quota, *caps.values())):
        msg = "limits must lie in [0, 2^53) units"
        raise ValueError(msg)
    return MappingProxyType(dict(caps))


NO_SURCHARGES: Final = SurchargeLimits()  # nothing is shown again over changed rows
