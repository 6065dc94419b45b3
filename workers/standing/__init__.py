"""Standing questions: kept from their topic, and asked anew in each of their epochs.

``held`` is what stands in the partitions of this worker, within limits, ``progress``
how far they are read, ``intake`` what a record means; ``turns`` says what is to be
answered between two batches of other questions.
"""

from workers.standing.held import StandingLimits
from workers.standing.turns import StandingTurns, standing_turns

__all__ = [
    "StandingLimits",
    "StandingTurns",
    "standing_turns",
]
