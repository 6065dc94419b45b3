"""Budget: totals of the store, and their past by the topic `ledger`."""

from __future__ import annotations

from dashboard.pages.budget import BudgetReader, budget_page
from views.purses import purses_of
from workers.gateway.web.visits import Shown, Visit, WebSources


async def page(sources: WebSources, visit: Visit) -> Shown:
    """The names of other clients are an operator's to see."""
    heard, ledger = sources.around.heard, sources.ledger
    totals = await ledger.totals()
    purses = () if totals is None else purses_of(totals)
    operator = sources.entrance.operates(visit.client)
    reader = BudgetReader(visit.client, operator)
    told = heard.spending, reader, sources.catalog, ledger.now_ms(), heard.untold
    return Shown("budget.html", budget_page(purses, *told))
