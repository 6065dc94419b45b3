"""Refusals: why a record means nothing, in which words, and what is done about it."""
