"""The counter: row events → true counts in Redis, exactly once.

SENSITIVE: it writes the truth.
"""

from workers.counter.counting import Counter
from workers.counter.source import Source

__all__ = ["Counter", "Source"]
