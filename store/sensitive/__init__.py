"""The truth: rows and true counts, written by the counter, read by the curator.

Only counter and curator, what builds them and the store's clients may import this.
"""

from store.sensitive.bases import Bases
from store.sensitive.key_spellings import KeySpellings
from store.sensitive.rows import Applied, Claim, Rows
from store.sensitive.truth import CountedPosition, Deltas, PartitionSnapshot, Truth

__all__ = [
    "Applied",
    "Bases",
    "Claim",
    "CountedPosition",
    "Deltas",
    "KeySpellings",
    "PartitionSnapshot",
    "Rows",
    "Truth",
]
