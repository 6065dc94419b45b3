"""Questions with ``since``: what came and went between two epochs that are kept.

``past_epochs`` reads which there are and what they showed, ``telling`` answers.
"""

from workers.answering.changes.telling import ChangeTeller

__all__ = ["ChangeTeller"]
