"""Asking: what a client's message asks, whom its answer is for, and how old it is.

``questions`` reads it, ``reply_address`` and ``reply_headers`` say where the answer
goes, whatever the bytes are, and ``passed_on`` words it for the curator and the log.
"""
