"""Ruling: the operator gives a dataset another rule."""

from __future__ import annotations

from sigmacount.accounting import Era, era_in_force
from sigmacount.errors import Mismatch
from store.releases.noise_vault import NoiseVault
from streams.audit.topic import AuditTopic
from workers.audit import AuditLog
from workers.clients import DatasetStores


async def begin_era(
    stores: DatasetStores, topic: AuditTopic, rule: str, token: int
) -> tuple[Era, Era]:
    """The era before and the one in force now, which is of this rule.

    ``token`` is that of the curator's lease, which the caller holds. The line is in
    the store, on disk, and in the topic when this returns; again, it changes nothing.

    Raises:
        Mismatch: no ledger is open yet; the curator pins the rule of its settings.
        StoreWentBack: the store must be restored first; nothing was written.
        Fenced: the lease lapsed, and a curator took over.
    """
    vault = NoiseVault(stores.redis, stores.keys)
    kept = (stores.ledger, vault, stores.released)
    for fenced in kept:
        await fenced.fence.advance(token)
    log = AuditLog(topic, stores.keys.dataset, *kept, token)
    await log.open()
    before = era_in_force(await stores.ledger.entries())
    if before is None:
        msg = (
            "no rule is pinned yet; nothing was written. Set SIGMA_PRIVACY_RULE: the"
            " first curator pins it."
        )
        raise Mismatch(msg)
    if before.rule == rule:
        return before, before
    now = before.followed_by(rule, log.next_epoch())
    await stores.ledger.note(token, now.charge)
    await log.check()
    return before, now
