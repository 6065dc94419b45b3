"""A question on a page: clicked together, and written down for other ways to ask it."""

from dashboard.asking.clicked import AskedOnPage, asked_on_page
from dashboard.asking.copies import QuestionCopies, copies, sql

__all__ = ["AskedOnPage", "QuestionCopies", "asked_on_page", "copies", "sql"]
