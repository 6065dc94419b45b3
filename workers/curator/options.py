"""Options of a curator: which dataset, at what price, how often, up to which limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sigmacount.accounting import Era, in_era
from sigmacount.domain import Schema
from sigmacount.mechanisms import Amount
from workers.curator.epochs.release_options import ReleaseOptions
from workers.curator.fresh.requests import FreshOptions


@dataclass(frozen=True, slots=True)
class LedgerLimits:
    """Limits of the ledger, in whole units of the measure of ``limit``.

    Attributes:
        surcharges: what a ledger of ρ may pay for showing noise again (µε), beside
            ``limit``; fresh questions and clients have the same parts of it.
    """

    limit: Amount
    fresh: int
    client: int
    surcharges: int = 0


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
        rule = in_era(self.fresh.rule, era)
        return replace(
            self,
            release=replace(self.release, rule=rule),
            fresh=replace(self.fresh, rule=rule),
        )
