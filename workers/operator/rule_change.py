"""Ruling: the operator gives a dataset another rule."""

from __future__ import annotations

from sigmacount.accounting import Era, era_in_force, mixing
from sigmacount.errors import Mismatch
from store.releases.noise_vault import NoiseVault
from store.releases.tick_vault import TickVault
from streams.audit.topic import AuditTopic
from workers.audit import AuditLog
from workers.clients import DatasetStores


async def begin_era(
    stores: DatasetStores,
    topic: AuditTopic,
    rule: str,
    token: int,
    *,
    count_lost: bool = False,
) -> tuple[Era, Era]:
    """The era before and the one in force now, which is of this rule.

    ``token`` is that of the curator's lease, which the caller holds. The line is in
    the store, on disk, and in the topic when this returns; again, it changes nothing.
    ``count_lost``: where what was shown stands in the way of a rule that promises more,
    it is counted as lost.

    Raises:
        RulesDoNotMix: what was shown forbids the rule; nothing was written.
        Mismatch: no ledger is open yet; the curator pins the rule of its settings.
        StoreWentBack: the store must be restored first; nothing was written.
        Fenced: the lease lapsed, and a curator took over.
    """
    vault = NoiseVault(stores.redis, stores.keys)
    for fenced in (stores.ledger, vault, stores.released):
        await fenced.fence.advance(token)
    kept = (stores.ledger, vault, TickVault(stores.redis, stores.keys))
    log = AuditLog(topic, stores.keys.dataset, *kept, stores.released, token)
    await log.open()
    entries = await stores.ledger.entries()
    before = era_in_force(entries)
    if before is None:
        msg = (
            "no rule is pinned yet; nothing was written. Set SIGMA_PRIVACY_RULE: the"
            " first curator pins it."
        )
        raise Mismatch(msg)
    if before.rule == rule:
        return before, before
    refusal = mixing(stores.keys.dataset, entries, rule)
    if refusal is not None and not (count_lost and refusal.mended_by_loss):
        raise refusal
    lost = refusal is not None
    now = before.followed_by(rule, log.next_epoch(), count_lost=lost)
    await stores.ledger.note(token, now.charge)
    await log.check()
    return before, now
