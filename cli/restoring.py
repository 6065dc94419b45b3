"""Restoring from the command line: under the curator's lease, or for looking only."""

from __future__ import annotations

import asyncio
import time

from cli import person, show
from cli.exits import Refusal
from cli.options import Overrides
from workers import wiring
from workers.auditing import listed
from workers.restoring import Findings, Restorer
from workers.wiring.restoring import restorer as put_together

LEASE_MS = 600_000  # reading a topic of years may take minutes; it is given back
WAIT_S = 20.0  # a curator that was just stopped, or refused to start, lets go by then
LOOK_S = 0.2


async def restore(given: Overrides, *, dry_run: bool) -> None:
    """Restore, or only say what would be restored.

    Raises:
        Refusal: a curator leads; nothing was written.
        Mismatch: the topic is not whole; nothing was written.
    """
    settings = wiring.load_settings(**given)
    out = show.console()
    async with (
        wiring.open_stores(settings, "sigma-restore") as stores,
        wiring.audit(settings.kafka, stores.keys.dataset, "sigma-restore") as topic,
    ):
        restorer = put_together(stores, topic)
        found = await (restorer.look() if dry_run else _under_lease(restorer))
    for line in report(found, dry_run=dry_run):
        out.print(line)


async def _under_lease(restorer: Restorer) -> Findings:
    beyond = (await restorer.look()).trail.token
    owner = f"sigma ledger restore, by {person.name()}"
    until = time.monotonic() + WAIT_S
    while (token := await restorer.lease.acquire(owner, LEASE_MS, beyond)) is None:
        if time.monotonic() > until:
            msg = (
                f"a curator leads ({await restorer.lease.holder()}): nothing was"
                " written. Stop all curators, and run this again."
            )
            raise Refusal(msg)
        await asyncio.sleep(LOOK_S)
    try:
        return await restorer.restore(token)
    finally:
        await restorer.lease.release(token)


def report(found: Findings, *, dry_run: bool) -> list[str]:
    """What was, or would be, done."""
    if found.faithful:
        return [f"the store holds all {len(found.held):,} charges: nothing to restore"]
    would = "would be " if dry_run else ""
    said = [f"the store went back: {found.behind}"] if found.behind else []
    said.append(
        f"{found.missing:,} charges {would}brought back,"
        f" {show.in_epsilon(found.micro_epsilon)} more are spent"
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
