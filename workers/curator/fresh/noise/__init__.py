"""The noise of fresh questions: what is kept of it, and how it is added to later.

A keeping says what an epoch shows of a question's noise, and what that is worth; whose
it is, and when it is paid for, say the rule and the room around.
"""
