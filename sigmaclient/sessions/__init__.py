"""Sessions: questions over one connection, with an event loop or without one.

``session`` asks, ``standing`` keeps what is asked in every epoch, ``sync`` blocks.
"""
