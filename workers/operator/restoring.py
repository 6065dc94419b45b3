"""Restoring: the store of a dataset beside its audit trail, put together."""

from __future__ import annotations

from store.lease import RoleLease
from store.noise import NoiseVault
from store.restoring import Rewriter
from streams.audit.topic import AuditTopic
from workers.audit.restorer import AuditedStores, Restorer
from workers.clients import DatasetStores


def restorer(stores: DatasetStores, topic: AuditTopic) -> Restorer:
    """Compares the store with its trail, and restores it."""
    place = (stores.redis, stores.keys)
    kept = AuditedStores(
        stores.ledger,
        NoiseVault(*place),
        stores.released,
        RoleLease(*place, "curator"),
        Rewriter(*place),
    )
    return Restorer(stores.keys.dataset, topic, kept)
