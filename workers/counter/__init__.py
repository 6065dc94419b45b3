"""The counter: row events → true counts in Redis, exactly once.

SENSITIVE: it writes the truth.
"""

from workers.counter.counter import Counter
from workers.counter.one_spelling import spelled_topic
from workers.counter.rows_source import RowsSource

__all__ = ["Counter", "RowsSource", "spelled_topic"]
