"""What an analyst holds: ask how many rows satisfy a predicate, get one answer.

>>> async with Session("localhost:9092", client="planning") as session:
...     answer = await session.ask("age >= 60 AND sex = 'F'")
...     print(answer.count, answer.interval)
"""

from sigmaclient.answer import Answer
from sigmaclient.errors import NoAnswer, NoCount, NoSchema
from sigmaclient.schema import DatasetSchema, SchemaAttribute
from sigmaclient.session import Session
from sigmaclient.sync import SyncSession

__all__ = [
    "Answer",
    "DatasetSchema",
    "NoAnswer",
    "NoCount",
    "NoSchema",
    "SchemaAttribute",
    "Session",
    "SyncSession",
]
