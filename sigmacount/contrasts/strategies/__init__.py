"""Strategies: integer matrices that measure the contrasts of one attribute set."""
