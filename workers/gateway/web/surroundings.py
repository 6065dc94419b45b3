"""What pages are made of beside released data and answers."""

from __future__ import annotations

from collections.abc import Callable

from sigmacount.domain import Schema
from store.releases.plan_requests import Plans
from workers.gateway.results import StandingActs
from workers.gateway.web.plan_pages import PlanPages
from workers.gateway.web.service import BrokerSays, ServiceLook


class WebSurroundings:
    """The reclusterer's decision, what was heard, what stands, and who is at work."""

    def __init__(
        self,
        schema: Schema,
        plans: Plans,
        acts: StandingActs,
        look: Callable[[], BrokerSays],
    ) -> None:
        """``look`` asks the broker, and may take seconds."""
        self.plans, self.acts, self.heard = plans, acts, acts.heard
        self.plan_pages, self.service = PlanPages(schema), ServiceLook(look)
