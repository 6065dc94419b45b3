"""The table of pages: which act answers which address."""

from __future__ import annotations

from typing import Final

from workers.gateway.web.shown import ask, budget, health, live, plan, promise
from workers.gateway.web.visits import Show

GET, POST = "GET", "POST"
TABLE: Final[tuple[tuple[str, str, Show], ...]] = (
    (GET, "/", ask.page),
    (POST, "/ask/price", ask.price),
    (POST, "/ask/answer", ask.answer),
    (POST, "/ask/keep", ask.keep),
    (GET, "/live", live.page),
    (GET, "/live/stream", live.stream),
    (POST, "/live/change", live.change),
    (POST, "/live/end", live.end),
    (GET, "/plan", plan.page),
    (GET, "/budget", budget.page),
    (GET, "/promise", promise.page),
    (GET, "/health", health.page),
)
