"""Plan: what the store says of the plan in force, to any client."""

from __future__ import annotations

from sigmacount.mechanisms import Amount
from workers.gateway.web.visits import Shown, Visit, WebSources


async def page(sources: WebSources, _: Visit) -> Shown:
    """Prices and attributes, never a question."""
    around = sources.around
    head = await sources.released.head()
    totals = await sources.ledger.totals()
    budget = None if totals is None else Amount(totals.measure, totals.limit)
    decision = await around.plans.decision()
    return Shown("plan.html", await around.plan_pages.of(head, decision, budget))
