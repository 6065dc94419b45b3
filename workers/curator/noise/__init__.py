"""The noise of plan units: how it is kept from epoch to epoch, and bound before use.

A rule says when noise is drawn and charged; a keeping of this room says what is kept
of it, and what an epoch adds to its counts.
"""
