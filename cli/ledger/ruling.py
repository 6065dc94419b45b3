"""Changing the rule from the command line: under the curator's lease."""

from __future__ import annotations

from functools import partial

from cli import terminal
from cli.ledger.leasing import under_lease
from cli.options import ChosenSettings
from sigmacount.accounting import Era
from store.lease import RoleLease
from streams.audit.trail import Trail
from workers import clients
from workers.operator.rule_change import begin_era


async def rule(given: ChosenSettings, name: str, *, count_lost: bool = False) -> None:
    """The dataset is released by this rule from the next epoch on.

    Raises:
        RulesDoNotMix: what was shown forbids the rule; nothing was written.
        Refusal: a curator leads, or no ledger is open; nothing was written.
        StoreWentBack: the store must be restored first; nothing was written.
    """
    settings = clients.load_settings(**given)
    async with (
        clients.open_stores(settings, "sigma-rule", rows=True) as stores,
        clients.audit(settings.kafka, stores.keys.dataset, "sigma-rule") as topic,
    ):
        beyond = Trail.of(stores.keys.dataset, await topic.read()).token
        lease = RoleLease(stores.redis, stores.keys, "curator")
        act = partial(begin_era, stores, topic, name, count_lost=count_lost)
        before, now = await under_lease(lease, "sigma ledger rule", beyond, act)
    for line in report(before, now):
        terminal.console().print(line)


def report(before: Era, now: Era) -> list[str]:
    """What was done."""
    if before == now:
        return [f"the rule is {now.rule} already; nothing was written"]
    begun = f"the rule is {now.rule} from epoch {now.since:,} on, not {before.rule}"
    said = [f"{begun}; all noise is drawn and paid for anew"]
    if now.counted_from == now.since:
        said.append(
            "what was shown before is counted as lost: changes are promised from epoch"
            f" {now.since:,} on"
        )
    restart = (
        f"set SIGMA_PRIVACY_RULE={now.rule} for the curators, and start them again"
    )
    return [*said, restart]
