"""The table of pages: which act answers which address."""

from __future__ import annotations

from typing import Final

from workers.gateway.web.shown import ask
from workers.gateway.web.visits import Show

GET, POST = "GET", "POST"
TABLE: Final[tuple[tuple[str, str, Show], ...]] = (
    (GET, "/", ask.page),
    (POST, "/ask/price", ask.price),
    (POST, "/ask/answer", ask.answer),
)
