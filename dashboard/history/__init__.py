"""Histories: what a gateway keeps of what it hears, in bounded memory.

``spending`` adds charges up over time, ``forecast`` says when a budget ends, ``points``
keeps the last answers to standing questions. Only what was released or charged is kept,
and nothing of it outlives the process.
"""

from dashboard.history.forecast import WINDOW_DAYS, BudgetForecast
from dashboard.history.points import AnswerPoint, StandingPoints, WatchedQuestion
from dashboard.history.spending import (
    ChargedFor,
    ChargeFilter,
    SpendingHistory,
    SpendingLine,
)

__all__ = [
    "WINDOW_DAYS",
    "AnswerPoint",
    "BudgetForecast",
    "ChargeFilter",
    "ChargedFor",
    "SpendingHistory",
    "SpendingLine",
    "StandingPoints",
    "WatchedQuestion",
]
