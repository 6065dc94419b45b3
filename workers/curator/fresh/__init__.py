"""Fresh queries: held by no algebra, paid for by who asks, kept in a memo.

``requests`` says what a batch asks for, ``payments`` who pays, ``fresh_counts`` what is
answered, ``turns`` in which order, ``noise_ahead`` where noise comes from, and the room
``noise`` what is kept of it.
"""
