"""Results: answers on their way from the topic to who asked, or who listens.

``questions`` wait for their own.
"""

from workers.gateway.results.questions import QuestionsInFlight, follow

__all__ = ["QuestionsInFlight", "follow"]
