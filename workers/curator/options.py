"""Options of a curator: which dataset, at what price, how often, up to which limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sigmacount.accounting import Era
from sigmacount.domain import Schema
from workers.curator.epochs.release import ReleaseOptions
from workers.curator.fresh.requests import FreshOptions


@dataclass(frozen=True, slots=True)
class LedgerLimits:
    """Limits of the ledger (µε)."""

    limit: int
    fresh: int
    client: int


@dataclass(frozen=True, slots=True)
class CuratorOptions:
    """How the curator does its work.

    Units: seconds.
    """

    dataset: str
    schema: Schema
    partitions: int
    release: ReleaseOptions
    fresh: FreshOptions
    limits: LedgerLimits
    epoch_seconds: float
    while_loading: bool
    fresh_batch: int
    fresh_ahead: int

    def in_era(self, era: Era) -> CuratorOptions:
        """The same, with noise of this era alone."""
        rule = self.fresh.rule.in_era(era.since)
        return replace(
            self,
            release=replace(self.release, rule=rule),
            fresh=replace(self.fresh, rule=rule),
        )
