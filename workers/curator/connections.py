"""Stores: what the curator reads and writes in Redis."""

from __future__ import annotations

from dataclasses import dataclass

from store.ledger import RedisLedger
from store.noise import NoiseVault
from store.released import Released
from store.sensitive import Bases, Truth


@dataclass(frozen=True, slots=True)
class CuratorStores:
    """What the curator reads and writes in Redis."""

    truth: Truth
    ledger: RedisLedger
    vault: NoiseVault
    released: Released
    bases: Bases
