"""What pages are made of beside released data and answers."""

from __future__ import annotations

from collections.abc import Callable

from sigmacount.domain import Schema
from store.releases.plan_requests import Plans
from workers.gateway.results import Heard
from workers.gateway.web.plan_pages import PlanPages
from workers.gateway.web.service import BrokerSays, ServiceLook


class WebSurroundings:
    """The reclusterer's decision, what was heard, and the service as it is seen."""

    def __init__(
        self, schema: Schema, plans: Plans, heard: Heard, look: Callable[[], BrokerSays]
    ) -> None:
        """``look`` asks the broker, and may take seconds."""
        self.plans, self.heard = plans, heard
        self.plan_pages, self.service = PlanPages(schema), ServiceLook(look)
