"""The one batch consumer and the one publisher, and what a broker's errors mean.

Offsets are given by whoever keeps the state that they belong to; a batch that nobody
can read is stepped over and reported; an event counts as sent once acknowledged.
"""
