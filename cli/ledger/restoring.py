"""Restoring from the command line: under the curator's lease, or for looking only."""

from __future__ import annotations

from cli import terminal
from cli.ledger.leasing import under_lease
from cli.options import ChosenSettings
from views import formats
from workers import clients
from workers.audit import listed
from workers.operator.restorer import Findings
from workers.operator.restorer import restorer as restorer_of


async def restore(given: ChosenSettings, *, dry_run: bool) -> None:
    """Restore, or only say what would be restored.

    Raises:
        Refusal: a curator leads; nothing was written.
        Mismatch: the topic is not whole; nothing was written.
    """
    settings = clients.load_settings(**given)
    out = terminal.console()
    async with (
        clients.open_stores(settings, "sigma-restore", rows=True) as stores,
        clients.audit(settings.kafka, stores.keys.dataset, "sigma-restore") as topic,
    ):
        restorer = restorer_of(stores, topic)
        found = await restorer.look()
        if not dry_run:
            found = await under_lease(
                restorer.lease,
                "sigma ledger restore",
                found.trail.token,
                restorer.restore,
            )
    for line in report(found, dry_run=dry_run):
        out.print(line)


def _sums(found: Findings) -> str:
    short = sorted(found.short.items())
    return " and ".join(formats.amount(*each) for each in short if each[1])


def report(found: Findings, *, dry_run: bool) -> list[str]:
    """What was, or would be, done."""
    if found.faithful:
        return [f"the store holds all {len(found.held):,} charges: nothing to restore"]
    would = "would be " if dry_run else ""
    said = [f"the store went back: {found.behind}"] if found.behind else []
    said.append(
        f"{found.missing:,} charges {would}brought back,"
        f" {_sums(found) or 'nothing'} more are spent"
    )
    if not found.consistent:
        said.append(f"totals and quotas {would}made those of the charges again")
    if found.lost:
        said.append(
            f"{len(found.lost):,} noises {would}marked as lost, to be drawn and charged"
            f" anew: {listed(found.lost)}"
        )
    if found.epoch < found.trail.epoch:
        said.append(f"the next epoch is number {found.trail.epoch + 1:,}")
    return [*said, "nothing was written" if dry_run else "start the curators again"]
