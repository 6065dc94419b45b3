"""Navigation: the pages that there are, in the order in which they are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class NavEntry:
    """A page: where it is, and what it is called."""

    address: str
    title: str


NAV: Final = (
    NavEntry("/", "Ask"),
    NavEntry("/live", "Live"),
    NavEntry("/plan", "Plan"),
    NavEntry("/budget", "Budget"),
    NavEntry("/promise", "Promise"),
    NavEntry("/health", "Health"),
)
