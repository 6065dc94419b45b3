"""A forecast: the day on which a budget ends if it is spent as it was of late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

DAY_MS: Final = 86_400_000
HOUR_MS: Final = 3_600_000
WINDOW_DAYS: Final = 7  # a week has its days of rest in it
FARTHEST_MS: Final = 100 * 365 * DAY_MS  # beyond it, a date says nothing


@dataclass(frozen=True, slots=True)
class BudgetForecast:
    """When nothing is left, if each day costs what one of the last days did.

    Attributes:
        days: over how many days the mean was taken.
        a_day: what was spent on one of them, in units of the ledger's measure.
        ends_ms: when nothing is left, milliseconds since 1970; None: not within a
            hundred years at this pace.
    """

    days: float
    a_day: float
    ends_ms: int | None

    @classmethod
    def of(
        cls, spent: int, left: int, began_ms: int | None, now_ms: int
    ) -> Self | None:
        """Of what was ``spent`` in the window; None: it is too early to say.

        ``began_ms``: when the first charge was. A ledger that is younger than the
        window is taken from there, and from an hour on.
        """
        if began_ms is None or now_ms - began_ms < HOUR_MS:
            return None
        days = min(now_ms - began_ms, WINDOW_DAYS * DAY_MS) / DAY_MS
        a_day = spent / days
        if a_day * FARTHEST_MS <= left * DAY_MS:
            return cls(days, a_day, None)
        return cls(days, a_day, now_ms + round(left / a_day * DAY_MS))
