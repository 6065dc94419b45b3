"""Messages: what each says, as one immutable struct with bounds.

``events`` holds questions, answers and rows, ``tables`` and ``privacy`` what an answer
is made of; ``audit_events``, ``catalog``, ``standing`` and ``memos`` what is kept.
"""
