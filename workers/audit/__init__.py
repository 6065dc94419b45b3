"""Audit: the store held to its audit trail, and brought back to it."""
