"""What an analyst holds: ask how many rows satisfy a predicate, get one answer.

>>> async with Session("localhost:9092", client="planning") as session:
...     answer = await session.ask("age >= 60 AND sex = 'F'")
...     print(answer.count, answer.interval)
...     table = (await session.ask(by="age", max_cost=50_000)).table
...     print(table.median(), table.top(3).rows)
"""

from sigmaclient.answer import Answer
from sigmaclient.errors import (
    ExtraMissing,
    NoAnswer,
    NoCount,
    NoSchema,
    PartialTable,
)
from sigmaclient.question import Question
from sigmaclient.quote import Quote
from sigmaclient.row import Row
from sigmaclient.schema import DatasetSchema, SchemaAttribute
from sigmaclient.sessions.session import Session
from sigmaclient.sessions.standing import NamedQuestion, StandingAnswers
from sigmaclient.sessions.sync import SyncSession
from sigmaclient.tables import CountTable, Quantile, RowShare, Selection

__all__ = [
    "Answer",
    "CountTable",
    "DatasetSchema",
    "ExtraMissing",
    "NamedQuestion",
    "NoAnswer",
    "NoCount",
    "NoSchema",
    "PartialTable",
    "Quantile",
    "Question",
    "Quote",
    "Row",
    "RowShare",
    "SchemaAttribute",
    "Selection",
    "Session",
    "StandingAnswers",
    "SyncSession",
]
