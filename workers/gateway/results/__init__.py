"""Results: answers on their way from the topic to who asked, or who listens.

``questions`` wait for their own answers; ``listeners`` hear all of a client's, and
``event_stream`` sends them on. ``heard`` is what is kept for pages, ``standing`` makes
and ends what stands; ``sending`` waits for the broker, but not for ever.
"""

from workers.gateway.results.event_stream import Tell, answer_stream, in_json
from workers.gateway.results.heard import Heard, followed_if_allowed
from workers.gateway.results.listeners import AnswerListeners
from workers.gateway.results.questions import QuestionsInFlight, follow
from workers.gateway.results.standing import StandingActs

__all__ = [
    "AnswerListeners",
    "Heard",
    "QuestionsInFlight",
    "StandingActs",
    "Tell",
    "answer_stream",
    "follow",
    "followed_if_allowed",
    "in_json",
]
