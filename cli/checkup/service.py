"""Checks of the service: releases, ledger, workers, and how far counting is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from cli.checkup.check import Check, fail, ok, warn
from config.servers import Kafka
from sigmacount.accounting import Era, era_in_force
from store.lease import RoleLease
from views import formats
from views.freezing import frozen_for
from workers import clients
from workers.clients import DatasetStores
from workers.operator import upkeep
from workers.operator.restorer import restorer

# What does not happen while nobody is there.
ROLES = {
    "counter": "rows are not counted",
    "curator": "nothing is released, no fresh question is answered",
    "responder": "no question is answered",
    "reclusterer": "the plan stays as it is",
    "gateway": "nobody can ask over HTTP, or look at the dashboard",
}
NOT_NEEDED = ("reclusterer", "gateway")  # questions are answered without
LED = ("curator", "reclusterer")
OLD_S = 3_600.0  # an epoch of yesterday is right when no row changed since


async def look(stores: DatasetStores) -> AsyncIterator[Check]:
    """What is released, who releases, and what is left to spend."""
    head = await stores.released.head()
    if head is None:
        yield warn("releases", "none yet", "start a curator, and rows to count")
    elif head.frozen:
        why = frozen_for(head.frozen)
        words = f"frozen at epoch {head.epoch}: {head.frozen}, {why.words}"
        yield warn("releases", f"{words}; it is served, and no newer", why.remedy)
    else:
        age = time.time() - head.as_of_ms / 1000
        what = "tables" if head.plan.get("joint") else "algebras"
        groups = f"{len(head.groups)} {what}"
        since = f", no change for {age / 3600:.1f} h" if age > OLD_S else ""
        yield ok("releases", f"epoch {head.epoch}, {groups}{since}")
    async for check in _ledger(stores):
        yield check


async def workers(stores: DatasetStores, kafka: Kafka) -> AsyncIterator[Check]:
    """Who is there in each role, as the broker hears them; and who leads."""
    present = await upkeep.processes(kafka, ROLES)
    for role, number in present.items():
        leads = None
        if role in LED:
            leads = await RoleLease(stores.redis, stores.keys, role).holder()
        if number == 0:
            mark = warn if role in NOT_NEEDED else fail
            words = f"nobody is at work: {ROLES[role]}"
            yield mark(role, words, f"sigma worker {role}")
        elif role in LED and leads is None:
            words = f"{number} at work, and none leads"
            yield warn(role, words, "fine for a lease's length; else look at its log")
        else:
            yield ok(role, f"{number} at work" + (f", {leads} leads" if leads else ""))


async def audited(stores: DatasetStores, kafka: Kafka) -> AsyncIterator[Check]:
    """Whether the store holds all that the topic says was charged and shown."""
    topic = clients.audit(kafka, stores.keys.dataset)
    found = await restorer(stores, topic).look()
    charges = found.trail.length
    if found.faithful:
        yield ok("audit", f"the store holds all {charges:,} charges of the topic")
        return
    lost = f"{len(found.lost):,} noises that were shown are gone"
    what = found.behind or (lost if found.lost else "its ledger does not add up")
    yield fail(
        "audit",
        f"the store went back: {what}",
        "stop the curators, then `sigma ledger restore`",
    )


async def _ledger(stores: DatasetStores) -> AsyncIterator[Check]:
    totals = await stores.ledger.totals()
    if totals is None:
        yield warn("ledger", "not open yet", "the curator opens it at its first start")
        return
    left, limit = (
        formats.amount(totals.measure, units) for units in (totals.left, totals.limit)
    )
    yield ok("ledger", f"{left} of {limit} left")
    era = era_in_force(await stores.ledger.entries())
    if era is not None:
        yield ok("rule", _era(era))
    if await stores.ledger.verify():
        yield ok("chain", "every charge stands as it was made")
    else:
        yield fail("chain", "charges were changed", "`sigma ledger` shows more")


def _era(era: Era) -> str:
    said = era.rule + (f" since epoch {era.since:,}" if era.since else "")
    if era.horizon is not None:
        said += f", counters rated for {era.horizon:,} epochs"
    if era.counted_from:
        said += f"; what was shown before epoch {era.counted_from:,} counts as lost"
    return said


async def counting(
    stores: DatasetStores, kafka: Kafka, topic: str
) -> AsyncIterator[Check]:
    """Whether Redis and the rows topic belong together, and whether it keeps up."""
    ends = await asyncio.to_thread(_ends, kafka, topic)
    partitions = sorted(ends)
    held = await stores.truth.positions(partitions)
    stored = dict(zip(partitions, held, strict=True))
    beyond = [p for p, at in stored.items() if at is not None and at > ends[p]]
    behind = [p for p, at in stored.items() if (at or 0) < ends[p]]
    if beyond:
        yield fail(
            "counting",
            f"{len(beyond)} partitions were counted beyond the end of {topic}: it is"
            " another topic than the one that was counted",
            "point to the one that was, or `sigma rebuild`",
        )
    if all(at is None for at in held):
        yield warn("counting", "no counter has begun", "sigma worker counter")
    elif behind:
        words = f"{len(behind)} of {len(ends)} partitions are not at their end yet"
        yield warn("counting", words, "fine while rows come; else look at the counters")
    elif not beyond:
        yield ok("counting", f"all {len(ends)} partitions are counted to their end")


def _ends(kafka: Kafka, topic: str) -> dict[int, int]:
    with clients.kafka_admin(kafka) as admin:
        return admin.latest(topic)
