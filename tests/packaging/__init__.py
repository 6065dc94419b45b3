"""Wheels: what they hold, and what they do in an environment of their own."""
